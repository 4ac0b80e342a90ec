// Finds who is named in what somebody types, so that no name leaves the house by that door: by the words that patients and doctors
// are called by, by common names, by titles, and by capitals in the middle of a sentence.
import { COMMON_NAMES, NO_NAMES } from './common-names.ts';
import { disguise, type Vocabulary } from './vocabulary.ts';

export const plainWord = (word: string) =>
  word
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z]/g, '');

const WORD = /[\p{L}\p{M}][\p{L}\p{M}'’-]*/gu;
const TITLE = /\b(?:dra?|sra?|srta|don|dona|doña|doctora?|señora?|lic|licda|mrs?|ms)\.?\s+$/i;
const CONNECTS = /^\s+(?:(?:de|del|la|las|los|san|santa|vda)\s+)*$/i;
const EMAIL = /[\w.+-]+@[\w-]+\.[\w.-]*\w/g;
const DUI = /\b\d{8}-\d\b/g;
const DATE = /^\d{4}-\d{2}-\d{2}/;
const PHONE = /\+?\d[\d ().-]{6,}\d/g;

type Word = { text: string; plain: string; start: number; end: number };

const wordsOf = (text: string): Word[] =>
  [...text.matchAll(WORD)].map((found) => ({ text: found[0], plain: plainWord(found[0]), start: found.index, end: found.index + found[0].length }));

/** Words that only records can tell to be names or not. */
export function unknownWords(text: string): string[] {
  return [...new Map(wordsOf(text).map(({ plain, text }) => [plain, text]))].filter(([plain]) => isUnknown(plain)).map(([, word]) => word);
}

const isUnknown = (plain: string) => plain.length >= 3 && !NO_NAMES.has(plain) && !COMMON_NAMES.has(plain);

/** The text with a word of the talk for each name, phone, address and national id. `called`: plain words of people of the clinic. */
export function maskText(vocabulary: Vocabulary, text: string, called: ReadonlySet<string>): string {
  const masked = text
    .replaceAll(EMAIL, (found) => disguise(vocabulary, 'CORREO', found))
    .replaceAll(DUI, (found) => disguise(vocabulary, 'DUI', found))
    .replaceAll(PHONE, (found) => (DATE.test(found) || found.replaceAll(/\D/g, '').length < 8 ? found : disguise(vocabulary, 'TELEFONO', found)));
  let [result, from] = ['', 0];
  for (const { start, end } of runsOf(masked, called)) {
    result += masked.slice(from, start) + disguise(vocabulary, 'PERSONA', masked.slice(start, end));
    from = end;
  }
  return result + masked.slice(from);
}

/** Where names stand, neighbours as one: «María de los Ángeles López». */
function runsOf(text: string, called: ReadonlySet<string>): { start: number; end: number }[] {
  const shouts = !/\p{Ll}/u.test(text);
  const words = wordsOf(text);
  const isName = words.map((word, index) => {
    if (/^(?:PERSONA|TELEFONO|CORREO|DUI|TEXTO)$/.test(word.text)) return false;
    if (called.has(word.plain) || COMMON_NAMES.has(word.plain)) return !isVerbal(word, words[index + 1], called);
    if (NO_NAMES.has(word.plain) || word.plain.length < 2) return false;
    const before = text.slice(0, word.start);
    if (TITLE.test(before)) return true;
    const capital = /^\p{Lu}/u.test(word.text) && !shouts;
    if (!capital) return false;
    if (!/(?:^|[.?!¿¡:;«"\n])\s*$/.test(before)) return true;
    // At the beginning every word has a capital: two of them are a name.
    const next = words[index + 1];
    return next !== undefined && /^\p{Lu}/u.test(next.text) && !NO_NAMES.has(next.plain) && CONNECTS.test(text.slice(word.end, next.start));
  });
  const runs: { start: number; end: number }[] = [];
  words.forEach((word, index) => {
    if (!isName[index]) return;
    const last = runs.at(-1);
    if (last && CONNECTS.test(text.slice(last.end, word.start))) last.end = word.end;
    else runs.push({ start: word.start, end: word.end });
  });
  return runs;
}

/** A word that a patient is called by and that everybody uses («Reina», «Paz»): a name only with a capital or beside another name. */
function isVerbal(word: Word, next: Word | undefined, called: ReadonlySet<string>): boolean {
  if (!NO_NAMES.has(word.plain)) return false;
  const beside = next !== undefined && (called.has(next.plain) || COMMON_NAMES.has(next.plain)) && !NO_NAMES.has(next.plain);
  return !(/^\p{Lu}/u.test(word.text) && beside);
}
