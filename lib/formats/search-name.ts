// Names as they are searched.

/**
 * The words of a text: lower case, without accents. `form` is part of what is stored: patients' search names were made with NFD, the
 * words of tax documents with NFKD, which also takes ligatures and raised letters apart.
 */
export function foldWords(text: string, form: 'NFD' | 'NFKD' = 'NFD'): string[] {
  return text
    .normalize(form)
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean);
}

/** A blank before each word, ` maria lopez`, so that `like '% lop%'` finds the beginnings of words. */
export const searchName = (name: string): string =>
  foldWords(name)
    .map((word) => ` ${word}`)
    .join('');
