// Catalogues of the tax authority: lists of codes. Municipalities and districts belong to a department.
import { foldWords } from '@clinic/lib/formats/search-name.ts';

/** `parent` is the department's code. */
export type Entry = { code: string; value: string; parent?: string };

/** Entries by catalogue, for example CAT-019. */
export type Catalogs = Map<string, Entry[]>;

export const DEPARTMENTS = 'CAT-012';
export const MUNICIPALITIES = 'CAT-013';
export const DISTRICTS = 'CAT-008';
export const PAYMENT_METHODS = 'CAT-017';
export const ACTIVITIES = 'CAT-019';

export function findEntry(catalogs: Catalogs, catalog: string, code: string, parent?: string): Entry | undefined {
  return catalogs.get(catalog)?.find((entry) => entry.code === code && (parent === undefined || entry.parent === parent));
}

/** The official name of an activity, cut or padded to a length that the schemas allow. */
export function activityName(catalogs: Catalogs, code: string): string {
  const name = findEntry(catalogs, ACTIVITIES, code)?.value ?? code;
  return name.slice(0, 150).padEnd(5, '.');
}

/** Entries whose code begins with the text, or whose name contains each of its words, regardless of case and accents. */
export function searchEntries(entries: Entry[], text: string): Entry[] {
  const prefix = text.trim().toLowerCase();
  const fold = (part: string) => foldWords(part).join(' ');
  const words = text.split(/\s+/).map(fold).filter(Boolean);
  return entries.filter(({ code, value }) => {
    if (code.toLowerCase().startsWith(prefix)) return true;
    const name = fold(value);
    return words.length > 0 && words.every((word) => name.includes(word));
  });
}
