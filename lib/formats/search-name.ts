// Folds names and words for search.

/**
 * The words of a text: lower case, without accents. Stored words must be folded with the same `form`: search names of patients with
 * NFD, words of tax documents with NFKD, which also splits ligatures and superscript letters.
 */
export function foldWords(text: string, form: 'NFD' | 'NFKD' = 'NFD'): string[] {
  return text
    .normalize(form)
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean);
}

const APOSTROPHES = /['’‘ʼʻ‛′`´＇]/g;
/** Joins the parts of words with an apostrophe: `OBrien`. */
export const withoutApostrophes = (text: string) => text.replaceAll(APOSTROPHES, '');

/**
 * The name as it is stored for search: a space and a folded word for each word, ` maria lopez`. Words with an apostrophe are in it apart and,
 * at the end, joined: ` rosa o brien obrien`.
 */
export function searchName(name: string): string {
  const words = foldWords(name.replaceAll(APOSTROPHES, ' '));
  const joined = new Set(foldWords(withoutApostrophes(name))).difference(new Set(words));
  return [...words, ...joined].map((word) => ` ${word}`).join('');
}

/**
 * Patterns for LIKE, all of which match the search name of everybody in whose name each word of the search begins a word, in any order.
 * The longest comes first; there is none for a search of nothing but punctuation.
 */
export function namePatterns(search: string): string[] {
  const words = [...new Set(foldWords(withoutApostrophes(search)))].sort((a, b) => b.length - a.length);
  return words.filter((word, index) => !words.slice(0, index).some((longer) => longer.startsWith(word))).map((word) => `% ${word}%`);
}
