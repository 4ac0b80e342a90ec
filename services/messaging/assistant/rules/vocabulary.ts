// The words of one talk between us and the model: PERSONA_1 stands for a name, cita-2 for a record. What leaves is written with
// them, what comes back is read with them, so the model works with people whom it does not know.
import { isMarked, type Reference, type Told } from './tool-output.ts';

type Kind = 'PERSONA' | 'TELEFONO' | 'CORREO' | 'DUI' | 'TEXTO';

/** What a talk has so far. Kept, sealed, with its messages. */
export type Vocabulary = { disguises: Map<string, string>; references: Map<string, Reference> };
export type StoredVocabulary = { disguises: [string, string][]; references: [string, Reference][] };

export const newVocabulary = (): Vocabulary => ({ disguises: new Map(), references: new Map() });

/** How much of a vocabulary is stored already. */
export type Stored = { disguises: number; references: number };
export const sizeOf = ({ disguises, references }: Vocabulary): Stored => ({ disguises: disguises.size, references: references.size });

/** What is new in it since then: words are added at the end and never removed. */
export const storeVocabulary = ({ disguises, references }: Vocabulary, since: Stored): StoredVocabulary => ({
  disguises: [...disguises].slice(since.disguises),
  references: [...references].slice(since.references),
});

export function addStored({ disguises, references }: Vocabulary, stored: StoredVocabulary): void {
  for (const [name, text] of stored.disguises) disguises.set(name, text);
  for (const [name, to] of stored.references) references.set(name, to);
}

const nextNumber = (known: Map<string, unknown>, prefix: string) =>
  1 + Math.max(0, ...[...known.keys()].filter((name) => name.startsWith(prefix)).map((name) => Number(name.slice(prefix.length)) || 0));

/** The same text gets the same word again. */
export function disguise({ disguises }: Vocabulary, kind: Kind, text: string): string {
  const prefix = `${kind}_`;
  const known = [...disguises].find(([name, other]) => other === text && name.startsWith(prefix));
  if (known) return known[0];
  const name = prefix + nextNumber(disguises, prefix);
  disguises.set(name, text);
  return name;
}

export function refer({ references }: Vocabulary, to: Reference): string {
  const known = [...references].find(([, other]) => other.kind === to.kind && other.id === to.id);
  const name = known?.[0] ?? `${to.kind}-${nextNumber(references, `${to.kind}-`)}`;
  references.set(name, to);
  return name;
}

const KINDS = { person: 'PERSONA', phone: 'TELEFONO', words: 'TEXTO' } as const;

/** What a tool tells, as the model may read it: with names only where the clinic allows it. */
export function write(vocabulary: Vocabulary, told: Told, sendNames: boolean): unknown {
  if (Array.isArray(told)) return told.map((one: Told) => write(vocabulary, one, sendNames));
  if (typeof told !== 'object' || told === null) return told;
  if (isMarked(told)) {
    if (told.$ === 'reference') return refer(vocabulary, told.to);
    if (!sendNames) return disguise(vocabulary, KINDS[told.$], told.text);
    return told.$ === 'words' ? { untrusted_text: told.text } : told.text;
  }
  const members = Object.entries(told).filter(([, value]) => value !== undefined);
  return Object.fromEntries(members.map(([name, value]) => [name, write(vocabulary, value as Told, sendNames)]));
}

const DISGUISE = /\b(?:PERSONA|TELEFONO|CORREO|DUI|TEXTO)_\d+\b/g;

const unmask = ({ disguises }: Vocabulary, text: string) => text.replaceAll(DISGUISE, (name) => disguises.get(name) ?? name);

/** What the model hands to a tool, with the real words in it. */
export function read(vocabulary: Vocabulary, value: unknown): unknown {
  if (typeof value === 'string') return unmask(vocabulary, value);
  if (Array.isArray(value)) return value.map((one) => read(vocabulary, one));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, read(vocabulary, one)]));
}

/** What an answer rests on, in the order in which it is cited. */
export type Citations = Reference[];

const CITED = / ?\[([a-z]+-\d+(?:\s*[,;]\s*[a-z]+-\d+)*)\]/g;
/** What could still become a word of the talk, at the end of a piece. */
const UNFINISHED = /(?: ?\[[a-z0-9\s,;-]{0,80}|\b[A-Z]+(?:_\d*)?|[hH](?:[tT](?:[tT](?:[pP][sS]?:?\/?)?)?)?|\(\/?| )$/;

/** An address outside, which a screen would load or open: with a name in it, it would carry that name away. */
const ADDRESS = /https?:\/\/|(?<=\()\/\//gi;

/**
 * Reads an answer as it comes in pieces of any length: real words for the model's, numbers for the records that it cites.
 * A record that there is not is not cited, and an address outside loses what makes it one.
 */
export function answerReader(vocabulary: Vocabulary, citations: Citations) {
  let held = '';
  const number = (name: string): number | undefined => {
    const to = vocabulary.references.get(name);
    if (!to) return undefined;
    const at = citations.findIndex(({ kind, id }) => kind === to.kind && id === to.id);
    return at >= 0 ? at + 1 : citations.push(to);
  };
  const cite = (_: string, names: string) => {
    const numbers = names.split(/\s*[,;]\s*/).flatMap((name) => number(name) ?? []);
    return numbers.map((one) => ` [${one}]`).join('');
  };
  const real = (text: string) => unmask(vocabulary, text.replaceAll(CITED, cite)).replaceAll(ADDRESS, '');
  return {
    push(piece: string): string {
      held += piece;
      const end = UNFINISHED.exec(held)?.index ?? held.length;
      const ready = held.slice(0, end);
      held = held.slice(end);
      return real(ready);
    },
    end(): string {
      const rest = real(held);
      held = '';
      return rest;
    },
  };
}

/** The list below an answer. */
export function citedList(citations: Citations, language: 'es' | 'en'): string {
  if (citations.length === 0) return '';
  const lines = citations.map(({ label, href }, index) => `[${index + 1}] ${label}: ${href}`);
  return `\n\n${language === 'es' ? 'Fuentes' : 'Sources'}:\n${lines.join('\n')}`;
}
