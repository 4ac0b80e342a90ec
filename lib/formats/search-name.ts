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

/** The folded words with a space before each, ` maria lopez`, so that `like '% lop%'` finds the beginnings of words. */
export const searchName = (name: string): string =>
  foldWords(name)
    .map((word) => ` ${word}`)
    .join('');
