// Names as a search reads them.

/** Lower case, without accents, one space before each word: ` maria lopez`. */
export function searchName(name: string): string {
  const plain = name
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
  return ` ${plain}`;
}
