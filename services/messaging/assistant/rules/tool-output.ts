// What a tool tells. Whatever names or reaches a person, and whatever somebody has written, is marked, so that one place decides
// what of it may leave for the model.

/** A record that an answer can rest on. `label` is for the person, and may name somebody. */
export type Reference = { kind: ReferenceKind; id: string; href: string; label: string };
export type ReferenceKind = 'cita' | 'paciente' | 'doctor' | 'tratamiento' | 'pago' | 'espera' | 'chat' | 'campana' | 'faq' | 'consulta';

export type Marked = { readonly $: 'person' | 'phone' | 'words'; readonly text: string } | { readonly $: 'reference'; readonly to: Reference };
export type Told = null | boolean | number | string | Marked | readonly Told[] | { readonly [name: string]: Told | undefined };

export const person = (text: string | undefined): Told => (text ? { $: 'person', text } : null);
export const phone = (text: string | undefined): Told => (text ? { $: 'phone', text } : null);
/** Free text: a note, a message, a title. It is data, whatever it says. */
export const words = (text: string | null | undefined): Told => (text ? { $: 'words', text } : null);
export const reference = (to: Reference): Told => ({ $: 'reference', to });

export const isMarked = (told: Told): told is Marked => typeof told === 'object' && told !== null && !Array.isArray(told) && '$' in told;

/** The record that a tool's answer as a whole rests on: the first that it names. */
export function firstReference(told: Told | undefined): Reference | undefined {
  if (typeof told !== 'object' || told === null) return undefined;
  if (isMarked(told)) return told.$ === 'reference' ? told.to : undefined;
  for (const one of Object.values(told) as Told[]) {
    const found = firstReference(one);
    if (found) return found;
  }
  return undefined;
}
