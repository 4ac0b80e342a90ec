// The output of a tool for the model. Data that identifies a person, and text that somebody has written, is marked, so that a single function
// (maskOutput) decides in which form it is sent to the model.

/** A record that an answer can cite. `label` may contain a name, and is shown to the user only. Stored with the answer. */
export type Reference = { kind: ReferenceKind; id: string; href: string; label: string };
type ReferenceKind = 'cita' | 'paciente' | 'doctor' | 'tratamiento' | 'pago' | 'espera' | 'chat' | 'campana' | 'faq' | 'consulta';

type Marked = { readonly $: 'person' | 'phone' | 'freeText'; readonly text: string } | { readonly $: 'reference'; readonly to: Reference };
export type ToolOutput = null | boolean | number | string | Marked | readonly ToolOutput[] | { readonly [name: string]: ToolOutput | undefined };

export const person = (text: string | undefined): ToolOutput => (text ? { $: 'person', text } : null);
export const phone = (text: string | undefined): ToolOutput => (text ? { $: 'phone', text } : null);
/** Text that somebody has written, such as a note, a message or a title. It is data, even if it reads like an instruction. */
export const freeText = (text: string | null | undefined): ToolOutput => (text ? { $: 'freeText', text } : null);
export const reference = (to: Reference): ToolOutput => ({ $: 'reference', to });

/** A reference to a query of the public API; `id` identifies the query. */
export const queryReference = (id: string, href: string, label: string): Reference => ({ kind: 'consulta', id, href, label });

export const isMarked = (output: ToolOutput): output is Marked => typeof output === 'object' && output !== null && !Array.isArray(output) && '$' in output;

/** The first reference in an output: the record on which the output as a whole is based. */
export function firstReference(output: ToolOutput | undefined): Reference | undefined {
  if (typeof output !== 'object' || output === null) return undefined;
  if (isMarked(output)) return output.$ === 'reference' ? output.to : undefined;
  for (const one of Object.values(output) as ToolOutput[]) {
    const found = firstReference(one);
    if (found) return found;
  }
  return undefined;
}
