// Looks up which words of a message are names of the clinic's patients and doctors, so that rare names are not sent to the model either.
import { plainWord, unknownWords } from './rules/mask-names.ts';
import type { ToolContext } from './tools/tool.ts';

const MAX_WORDS = 24;
const MAX_MATCHES = 50;
const MAX_DOCTORS = 500;

const wordsOf = (fullName: string) => fullName.split(/[\s-]+/).map(plainWord);
const TITLES = new Set(['dr', 'dra', 'lic', 'licda', '']);

/** The names as plainWord() returns them. Unknown words beyond MAX_WORDS are not looked up and count as names. */
export async function findKnownNames({ app, asUser }: ToolContext, text: string): Promise<Set<string>> {
  const { doctors, patients } = app.scheduling;
  const unknown = unknownWords(text);
  const [listed, ...found] = await Promise.all([
    doctors.listDoctors({ page: 1, limit: MAX_DOCTORS }, asUser),
    ...unknown.slice(0, MAX_WORDS).map(async (word) => {
      const matches = await patients.listPatients({ search: word, page: 1, limit: MAX_MATCHES }, asUser);
      return matches.patients.some(({ fullName }) => wordsOf(fullName).includes(plainWord(word))) ? plainWord(word) : undefined;
    }),
  ]);
  const names = [
    ...listed.doctors.flatMap(({ fullName }) => wordsOf(fullName)).filter((word) => !TITLES.has(word)),
    ...found,
    ...unknown.slice(MAX_WORDS).map(plainWord),
  ];
  return new Set(names.filter((word) => word !== undefined));
}
