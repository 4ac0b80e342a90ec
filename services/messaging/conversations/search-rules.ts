// Names as they are searched: lower case, without accents, a space before each word.

export function searchName(name: string): string {
  const plain = name.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase();
  return plain
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean)
    .map((word) => ` ${word}`)
    .join('');
}

/** The pattern for a beginning of a word, or for digits of a phone. */
export function patternOf(search: string): { kind: 'all' | 'name' | 'phone'; pattern: string } {
  const digits = search.replaceAll(/[\s()+-]/g, '');
  if (/^\d+$/.test(digits)) return { kind: 'phone', pattern: `%${digits}%` };
  const words = searchName(search);
  return words === '' ? { kind: 'all', pattern: '' } : { kind: 'name', pattern: `%${words}%` };
}
