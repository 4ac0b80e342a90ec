// Finds names of people in what somebody types, so that no name is sent to the model: names of the
// clinic's patients and doctors, common names, words behind a title, and capitals within a sentence.
import { COMMON_NAMES, NO_NAMES } from './common-names.ts';
import { pseudonymFor, type Vocabulary } from './vocabulary.ts';

/** In lower case, without accents and anything that is no letter. */
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

/** The words of a text of which only the clinic's records can say whether they are names. */
export function unknownWords(text: string): string[] {
  return [...new Map(wordsOf(text).map(({ plain, text }) => [plain, text]))].filter(([plain]) => isUnknown(plain)).map(([, word]) => word);
}

const isUnknown = (plain: string) => plain.length >= 3 && !NO_NAMES.has(plain) && !COMMON_NAMES.has(plain);

/** The text with a pseudonym for each name, phone, e-mail address and national id. `known`: plain words of the names of the clinic's people. */
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

/** Where the names are; words of one name are one range: «María de los Ángeles López». */
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
    // The first word of a sentence has a capital anyway: together with a second one it is a name.
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

/** Whether a word that is also an ordinary one («Reina», «Paz») is used as such: it is a name only with a capital and in front of another name. */
function isOrdinary(word: Word, next: Word | undefined, known: ReadonlySet<string>): boolean {
  if (!NO_NAMES.has(word.plain)) return false;
  const isBeforeName = next !== undefined && (known.has(next.plain) || COMMON_NAMES.has(next.plain)) && !NO_NAMES.has(next.plain);
  return !(/^\p{Lu}/u.test(word.text) && isBeforeName);
}
