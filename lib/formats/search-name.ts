// Folds names and words for search.

/** Letters that Unicode does not decompose into a letter and an accent. */
const LETTERS: Record<string, string> = { ł: 'l', ø: 'o', đ: 'd', ð: 'd', ı: 'i', ß: 'ss', æ: 'ae', œ: 'oe', þ: 'th' };

/**
 * The words of a text in lower case, without accents. Stored words must be folded with the same `form`: search names of patients with NFD, words of
 * tax documents with NFKD, which also replaces ligatures and superscript letters, but not LETTERS.
 */
export function foldWords(text: string, form: 'NFD' | 'NFKD' = 'NFD'): string[] {
  const folded = text.normalize(form).replaceAll(/\p{M}/gu, '').toLowerCase();
  return (form === 'NFD' ? folded.replaceAll(/[łøđðıßæœþ]/g, (letter) => LETTERS[letter] ?? letter) : folded).split(/[^\p{L}\p{N}]+/u).filter(Boolean);
}

const APOSTROPHES = /['’‘ʼʻ‛′`´＇]/g;
/** Joins the parts of words with an apostrophe: `OBrien`. */
export const withoutApostrophes = (text: string) => text.replaceAll(APOSTROPHES, '');

/**
 * The name as it is stored for search: each word folded and preceded by a space, ` maria lopez`. The parts of a word with an apostrophe are stored
 * separately and, at the end, joined: ` rosa o brien obrien`.
 */
export function searchName(name: string): string {
  const words = foldWords(name.replaceAll(APOSTROPHES, ' '));
  const joined = new Set(foldWords(withoutApostrophes(name))).difference(new Set(words));
  return [...words, ...joined].map((word) => ` ${word}`).join('');
}

/**
 * Patterns for LIKE. A search name matches all of them if each word of the search is the beginning of some word of the name, in any order. The
 * longest comes first. A search that contains only punctuation has no patterns.
 */
export function namePatterns(search: string): string[] {
  const words = [...new Set(foldWords(withoutApostrophes(search)))].sort((a, b) => b.length - a.length);
  return words.filter((word, index) => !words.slice(0, index).some((longer) => longer.startsWith(word))).map((word) => `% ${word}%`);
}
