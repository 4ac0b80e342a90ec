// The catalogues of the authority: lists of codes, and which municipality and district belongs to which department.

export type Entry = { code: string; value: string; parent?: string };

export type Catalogs = {
  /** By code of the catalogue, for example CAT-019. */
  lists: Map<string, Entry[]>;
};

export const DEPARTMENTS = 'CAT-012';
export const MUNICIPALITIES = 'CAT-013';
export const DISTRICTS = 'CAT-008';
export const PAYMENT_METHODS = 'CAT-017';
export const ACTIVITIES = 'CAT-019';

export function entryOf(catalogs: Catalogs, list: string, code: string, parent?: string): Entry | undefined {
  return catalogs.lists.get(list)?.find((entry) => entry.code === code && (parent === undefined || entry.parent === parent));
}

/** Entries whose code begins with the text, or whose name has all its words, whatever their marks. */
export function search(entries: Entry[], text: string): Entry[] {
  const words = plain(text).split(/\s+/).filter(Boolean);
  if (words.length === 0) return entries;
  return entries.filter(({ code, value }) => {
    const name = plain(value);
    return plain(code).startsWith(words.join(' ')) || words.every((word) => name.includes(word));
  });
}

const plain = (text: string) => text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase().trim();
