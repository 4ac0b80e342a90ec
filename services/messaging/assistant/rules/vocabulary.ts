// The vocabulary of one conversation with a model: PERSONA_1 stands for a name, cita-2 for a record. What is sent to the model is masked and its
// answer is unmasked, so that the model works with people without knowing their names.
import type { Language } from '@clinic/lib/formats/day-text.ts';
import { isMarked, type Reference, type ToolOutput } from './tool-output.ts';
import { inLanguage } from './wording.ts';

type PseudonymKind = 'PERSONA' | 'TELEFONO' | 'CORREO' | 'DUI' | 'TEXTO';

/** Real texts by pseudonym, and records by reference name. */
export type Vocabulary = { pseudonyms: Map<string, string>; references: Map<string, Reference> };
/** The form in which a message stores it. */
export type StoredVocabulary = { disguises: [string, string][]; references: [string, Reference][] };
export type VocabularySize = { pseudonyms: number; references: number };

export const newVocabulary = (): Vocabulary => ({ pseudonyms: new Map(), references: new Map() });

export const sizeOf = ({ pseudonyms, references }: Vocabulary): VocabularySize => ({ pseudonyms: pseudonyms.size, references: references.size });

/** The entries added since the vocabulary had the size `since`. Entries are never removed. */
export const toStored = ({ pseudonyms, references }: Vocabulary, since: VocabularySize): StoredVocabulary => ({
  disguises: [...pseudonyms].slice(since.pseudonyms),
  references: [...references].slice(since.references),
});

export function addStored({ pseudonyms, references }: Vocabulary, stored: StoredVocabulary): void {
  for (const [name, text] of stored.disguises) pseudonyms.set(name, text);
  for (const [name, to] of stored.references) references.set(name, to);
}

const nextNumber = (known: Map<string, unknown>, prefix: string) =>
  1 + Math.max(0, ...[...known.keys()].filter((name) => name.startsWith(prefix)).map((name) => Number(name.slice(prefix.length)) || 0));

/** The pseudonym for a text. Equal texts have the same pseudonym. */
export function pseudonymFor({ pseudonyms }: Vocabulary, kind: PseudonymKind, text: string): string {
  const prefix = `${kind}_`;
  const known = [...pseudonyms].find(([name, other]) => other === text && name.startsWith(prefix));
  if (known) return known[0];
  const name = prefix + nextNumber(pseudonyms, prefix);
  pseudonyms.set(name, text);
  return name;
}

/** The reference name of a record. The same record always has the same name. */
export function referenceName({ references }: Vocabulary, to: Reference): string {
  const known = [...references].find(([, other]) => other.kind === to.kind && other.id === to.id);
  const name = known?.[0] ?? `${to.kind}-${nextNumber(references, `${to.kind}-`)}`;
  references.set(name, to);
  return name;
}

const KINDS = { person: 'PERSONA', phone: 'TELEFONO', freeText: 'TEXTO' } as const;

/** The output of a tool in the form that is sent to the model: with real names only if the clinic allows it. */
export function maskOutput(vocabulary: Vocabulary, output: ToolOutput, sendNames: boolean): unknown {
  if (Array.isArray(output)) return output.map((one: ToolOutput) => maskOutput(vocabulary, one, sendNames));
  if (typeof output !== 'object' || output === null) return output;
  if (isMarked(output)) {
    if (output.$ === 'reference') return referenceName(vocabulary, output.to);
    if (!sendNames) return pseudonymFor(vocabulary, KINDS[output.$], output.text);
    return output.$ === 'freeText' ? { untrusted_text: output.text } : output.text;
  }
  const members = Object.entries(output).filter(([, value]) => value !== undefined);
  return Object.fromEntries(members.map(([name, value]) => [name, maskOutput(vocabulary, value as ToolOutput, sendNames)]));
}

const PSEUDONYM = /\b(?:PERSONA|TELEFONO|CORREO|DUI|TEXTO)_\d+\b/g;

const unmaskText = ({ pseudonyms }: Vocabulary, text: string) => text.replaceAll(PSEUDONYM, (name) => pseudonyms.get(name) ?? name);

/** Replaces the pseudonyms in a tool call's arguments by the real texts. */
export function unmaskArguments(vocabulary: Vocabulary, value: unknown): unknown {
  if (typeof value === 'string') return unmaskText(vocabulary, value);
  if (Array.isArray(value)) return value.map((one) => unmaskArguments(vocabulary, one));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, unmaskArguments(vocabulary, one)]));
}

const CITED = / ?\[([a-z]+-\d+(?:\s*[,;]\s*[a-z]+-\d+)*)\]/g;
/** The end of a piece which the next piece may continue to a pseudonym, a citation or a URL. */
const UNFINISHED = /(?: ?\[[a-z0-9\s,;-]{0,80}|\b[A-Z]+(?:_\d*)?|[hH](?:[tT](?:[tT](?:[pP][sS]?:?\/?)?)?)?|\(\/?| )$/;

/** The beginning of an external URL. A screen might load or open it, and so disclose a name that it contains. */
const ADDRESS = /https?:\/\/|(?<=\()\/\//gi;

/**
 * Unmasks an answer that arrives in pieces of any length. Pseudonyms become the real texts. Cited records become numbers and are added to
 * `citations`. A citation of an unknown record is removed, and a URL loses its scheme.
 */
export function createUnmasker(vocabulary: Vocabulary, citations: Reference[]) {
  let pending = '';
  const numberOf = (name: string): number | undefined => {
    const to = vocabulary.references.get(name);
    if (!to) return undefined;
    const at = citations.findIndex(({ kind, id }) => kind === to.kind && id === to.id);
    return at >= 0 ? at + 1 : citations.push(to);
  };
  const cite = (_: string, names: string) => {
    const numbers = names.split(/\s*[,;]\s*/).flatMap((name) => numberOf(name) ?? []);
    return numbers.map((one) => ` [${one}]`).join('');
  };
  const unmask = (text: string) => unmaskText(vocabulary, text.replaceAll(CITED, cite)).replaceAll(ADDRESS, '');
  return {
    push(piece: string): string {
      pending += piece;
      const end = UNFINISHED.exec(pending)?.index ?? pending.length;
      const ready = pending.slice(0, end);
      pending = pending.slice(end);
      return unmask(ready);
    },
    end(): string {
      const rest = unmask(pending);
      pending = '';
      return rest;
    },
  };
}

/** The list of cited records that is added below an answer; empty if there are none. */
export function listSources(citations: Reference[], language: Language): string {
  if (citations.length === 0) return '';
  const lines = citations.map(({ label, href }, index) => `[${index + 1}] ${label}: ${href}`);
  return `\n\n${inLanguage(language, 'Fuentes', 'Sources')}:\n${lines.join('\n')}`;
}
