// Normalizes cells of an import before they are parsed like any other input.
import { invalid } from '@clinic/lib/errors/errors.ts';
import { unguardCell } from '@clinic/lib/formats/csv.ts';
import { isLocalDate } from '@clinic/lib/formats/local-date.ts';

const MASKED_DUI = /^\*{6}\d\d-\d$/;

/** The trimmed cell, without the apostrophes that an export puts before formulas. A masked DUI becomes empty. */
export function cellText(cell: string): string {
  const text = unguardCell(cell.trim()).trim();
  return MASKED_DUI.test(text) ? '' : text;
}

/** A date written YYYY-MM-DD or dd/mm/yyyy, as YYYY-MM-DD. */
export function isoDate(text: string): string {
  const [, day = '', month = '', year = ''] = /^(\d{1,2})[/.-](\d{1,2})[/.-](\d{4})$/.exec(text) ?? [];
  const date = year ? `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}` : text;
  return isLocalDate(date) ? date : invalid('birth_date', 'must be a date that exists, YYYY-MM-DD or dd/mm/yyyy, in the years 1900 to 2199');
}

const GENDERS = { female: 'f femenino femenina mujer', male: 'm masculino hombre', other: 'o otro otra' };
const genderByWord = new Map(Object.entries(GENDERS).flatMap(([gender, words]) => [gender, ...words.split(' ')].map((word) => [word, gender])));

/** `female`, `male` or `other` for the usual words. */
export const genderOf = (text: string) => genderByWord.get(text.toLowerCase()) ?? invalid('gender', `must be one of ${[...genderByWord.keys()].join(', ')}`);
