// What a tool returns for the model. Whatever identifies a person, and whatever somebody has written, is marked: one place (maskOutput) decides
// in which form it leaves for the model.

/** A record that an answer can cite. `label` is shown to the person only, and may contain a name. Stored with the answer. */
export type Reference = { kind: ReferenceKind; id: string; href: string; label: string };
export type ReferenceKind = 'cita' | 'paciente' | 'doctor' | 'tratamiento' | 'pago' | 'espera' | 'chat' | 'campana' | 'faq' | 'consulta';

export type Marked = { readonly $: 'person' | 'phone' | 'freeText'; readonly text: string } | { readonly $: 'reference'; readonly to: Reference };
export type ToolOutput = null | boolean | number | string | Marked | readonly ToolOutput[] | { readonly [name: string]: ToolOutput | undefined };

export const person = (text: string | undefined): ToolOutput => (text ? { $: 'person', text } : null);
export const phone = (text: string | undefined): ToolOutput => (text ? { $: 'phone', text } : null);
/** A note, a message, a title: data, whatever it says. */
export const freeText = (text: string | null | undefined): ToolOutput => (text ? { $: 'freeText', text } : null);
export const reference = (to: Reference): ToolOutput => ({ $: 'reference', to });

/** A query of the public API; `id` says what it asks for. */
export const queryReference = (id: string, href: string, label: string): Reference => ({ kind: 'consulta', id, href, label });

export const isMarked = (output: ToolOutput): output is Marked => typeof output === 'object' && output !== null && !Array.isArray(output) && '$' in output;

/** The first reference of an output: the record that it rests on as a whole. */
export function firstReference(output: ToolOutput | undefined): Reference | undefined {
  if (typeof output !== 'object' || output === null) return undefined;
  if (isMarked(output)) return output.$ === 'reference' ? output.to : undefined;
  for (const one of Object.values(output) as ToolOutput[]) {
    const found = firstReference(one);
    if (found) return found;
  }
  return undefined;
}
