// Reads the cells of a row and collects the errors of all of them.
import { invalid, ServiceError } from '@clinic/lib/errors/errors.ts';
import { foldWords } from '@clinic/lib/formats/search-name.ts';
import { cellText } from './import-cell-rules.ts';
import type { Columns } from './import-columns-rules.ts';
import type { Fault } from './patient-imports.sql.ts';

type NameField = 'full_name' | 'first_name' | 'last_name';

/** The name of a row. Its parts in other columns repeat a whole name that contains them; first and last name together replace any other, and the first name none. */
export function nameOf(at: (field: NameField) => string): string {
  const [whole, first, last] = [at('full_name'), at('first_name'), at('last_name')];
  const isRepeated = new Set(foldWords(`${first} ${last}`)).isSubsetOf(new Set(foldWords(whole)));
  return (isRepeated || (whole && first && !last) ? [whole] : first && last ? [first, last] : [whole, first, last]).filter(Boolean).join(' ');
}

export const NOT_UTF8 = 'is not UTF-8 text: save the file as CSV UTF-8';

/** `at` is the text of a field, '' without a column; `attempt` returns undefined and adds a fault when `read` throws a VALIDATION_ERROR. */
export function readCells<F extends string>(row: number, cells: string[], columns: Columns<F>) {
  const faults: Fault[] = [];
  const at = (field: F) => cellText(cells[columns[field]?.index ?? -1] ?? '');
  const attempt = <T>(field: F, read: (text: string) => T): T | undefined => {
    try {
      if (at(field).includes('\uFFFD')) invalid(field, NOT_UTF8);
      return read(at(field));
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      faults.push({ row, column: columns[field]?.header ?? '', message: error.details?.[0]?.message ?? error.message });
      return undefined;
    }
  };
  return { at, attempt, faults, isEmpty: (Object.keys(columns) as F[]).every((field) => at(field) === '') };
}
