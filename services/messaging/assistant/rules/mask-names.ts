// Finds the names of people in a question, so that no name is sent to the model: names of the clinic's patients and doctors, common names, words
// after a title, and capitalised words within a sentence.
import { COMMON_NAMES, NO_NAMES } from './common-names.ts';
import { pseudonymFor, type Vocabulary } from './vocabulary.ts';

/** The letters of a word, in lower case and without accents. */
export const plainWord = (word: string) =>
  word
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z]/g, '');

const WORD = /[\p{L}\p{M}][\p{L}\p{M}'’-]*/gu;
const TITLE = /\b(?:dra?|sra?|srta|don|dona|doña|doctora?|señora?|lic|licda|mrs?|ms)\.?\s+$/i;
export const CONNECTS = /^\s+(?:(?:de|del|la|las|los|san|santa|vda)\s+)*$/i;
const EMAIL = /[\w.+-]+@[\w-]+\.[\w.-]*\w/g;
const DUI = /\b\d{8}-\d\b/g;
const DATE = /^\d{4}-\d{2}-\d{2}/;
const PHONE = /\+?\d[\d ().-]{6,}\d/g;

type Word = { text: string; plain: string; start: number; end: number };

export const wordsOf = (text: string): Word[] =>
  [...text.matchAll(WORD)].map((found) => ({ text: found[0], plain: plainWord(found[0]), start: found.index, end: found.index + found[0].length }));

/** The words of a text that are neither common names nor ordinary words, so that they must be looked up in the clinic's records. */
export function unknownWords(text: string): string[] {
  return [...new Map(wordsOf(text).map(({ plain, text }) => [plain, text]))].filter(([plain]) => isUnknown(plain)).map(([, word]) => word);
}

const isUnknown = (plain: string) => plain.length >= 3 && !NO_NAMES.has(plain) && !COMMON_NAMES.has(plain);

/** Replaces each name, phone, e-mail address and national id by a pseudonym. `known`: names of the clinic's people, as plainWord() returns them. */
export function maskText(vocabulary: Vocabulary, text: string, known: ReadonlySet<string>): string {
  const masked = text
    .replaceAll(EMAIL, (found) => pseudonymFor(vocabulary, 'CORREO', found))
    .replaceAll(DUI, (found) => pseudonymFor(vocabulary, 'DUI', found))
    .replaceAll(PHONE, (found) => (DATE.test(found) || found.replaceAll(/\D/g, '').length < 8 ? found : pseudonymFor(vocabulary, 'TELEFONO', found)));
  let [result, from] = ['', 0];
  for (const { start, end } of findNames(masked, known)) {
    result += masked.slice(from, start) + pseudonymFor(vocabulary, 'PERSONA', masked.slice(start, end));
    from = end;
  }
  return result + masked.slice(from);
}

/** The ranges of the names in a text. The words of one name, such as «María de los Ángeles López», are one range. */
export function findNames(text: string, known: ReadonlySet<string>): { start: number; end: number }[] {
  const isUpperCase = !/\p{Ll}/u.test(text);
  const words = wordsOf(text);
  const isName = words.map((word, index) => {
    if (/^(?:PERSONA|TELEFONO|CORREO|DUI|TEXTO)$/.test(word.text)) return false;
    if (known.has(word.plain) || COMMON_NAMES.has(word.plain)) return !isOrdinary(word, words[index + 1], known);
    if (NO_NAMES.has(word.plain) || word.plain.length < 2) return false;
    const before = text.slice(0, word.start);
    if (TITLE.test(before)) return true;
    const capital = /^\p{Lu}/u.test(word.text) && !isUpperCase;
    if (!capital) return false;
    if (!/(?:^|[.?!¿¡:;«"\n])\s*$/.test(before)) return true;
    // The first word of a sentence always has a capital letter. It is a name if another capitalised word follows.
    const next = words[index + 1];
    return next !== undefined && /^\p{Lu}/u.test(next.text) && !NO_NAMES.has(next.plain) && CONNECTS.test(text.slice(word.end, next.start));
  });
  const names: { start: number; end: number }[] = [];
  words.forEach((word, index) => {
    if (!isName[index]) return;
    const last = names.at(-1);
    if (last && CONNECTS.test(text.slice(last.end, word.start))) last.end = word.end;
    else names.push({ start: word.start, end: word.end });
  });
  return names;
}

/** Whether a word that may be a name or an ordinary word is an ordinary word here: it is a name only with a capital letter and before another name. */
function isOrdinary(word: Word, next: Word | undefined, known: ReadonlySet<string>): boolean {
  if (!NO_NAMES.has(word.plain)) return false;
  const isBeforeName = next !== undefined && (known.has(next.plain) || COMMON_NAMES.has(next.plain)) && !NO_NAMES.has(next.plain);
  return !(/^\p{Lu}/u.test(word.text) && isBeforeName);
}
