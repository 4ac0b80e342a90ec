// Parses a row of an import with the same checks as any other input. All errors of a row are returned together.
import { invalid, ServiceError } from '@clinic/lib/errors/errors.ts';
import { parsePhone } from '@clinic/lib/formats/phone.ts';
import { type DetailsInput, parseDetails, parseOptionalDui } from '../patients/parse-patient.ts';
import type { PatientFields } from '../patients/sql/patients.sql.ts';
import { cellText, genderOf, isoDate } from './import-cell-rules.ts';
import { type Columns, IMPORTED, type Imported } from './import-columns-rules.ts';

export type Fault = { row: number; column: string; message: string };

/** The first row of each patient of the file, by the phone's digits as a number, which needs less memory than text, or by guardian and name. */
export type Seen = Map<number | string, number>;

/** At most 15 digits (E.164), which a number represents exactly. */
export const phoneKey = (phone: string) => Number(phone.slice(1));

/** Empty cells are null. A patient without a phone is found by the guardian's phone and the name. */
export type ImportRow = { row: number; fields: PatientFields; guardianPhone: string | null; dui: string | null };

/** Undefined for an empty row. `today` is the date in the clinic. */
export function parseImportRow(row: number, cells: string[], columns: Columns, country: string, today: string): ImportRow | Fault[] | undefined {
  const at = (field: Imported) => cellText(cells[columns[field]?.index ?? -1] ?? '');
  if (IMPORTED.every((field) => at(field) === '')) return undefined;
  const faults: Fault[] = [];
  const attempt = <T>(field: Imported, read: () => T): T | undefined => {
    try {
      if (at(field).includes('\uFFFD')) invalid(field, 'is not UTF-8 text: save the file as CSV UTF-8');
      return read();
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      faults.push({ row, column: columns[field]?.header ?? '', message: error.details?.[0]?.message ?? error.message });
      return undefined;
    }
  };
  const fullName = ['full_name', 'first_name', 'last_name'].flatMap((field) => at(field as Imported) || []).join(' ');
  const nameField = columns.full_name ? 'full_name' : 'first_name';
  const detail = (field: 'email' | 'address' | 'notes' | 'gender' | 'birth_date', input: (text: string) => Partial<DetailsInput>) =>
    attempt(field, () => (at(field) ? parseDetails({ fullName: 'x', ...input(at(field)) }, today)[field] : null)) ?? null;
  const name = attempt(nameField, () => parseDetails({ fullName }, today));
  const guardianPhone = at('phone')
    ? null
    : (attempt('guardian_phone', () => (at('guardian_phone') ? parsePhone('phone', at('guardian_phone'), country) : null)) ?? null);
  const phone = at('phone') || !at('guardian_phone') ? attempt('phone', () => parsePhone('phone', at('phone'), country)) : null;
  const dui = attempt('dui', () => parseOptionalDui('dui', at('dui'))) ?? null;
  const details = {
    email: detail('email', (email) => ({ email })),
    birth_date: detail('birth_date', (text) => ({ birthDate: isoDate(text) })),
    gender: detail('gender', (text) => ({ gender: genderOf(text) })),
    address: detail('address', (address) => ({ address })),
    notes: detail('notes', (notes) => ({ notes })),
  };
  if (faults.length > 0 || !name) return faults;
  return { row, fields: { full_name: name.full_name, search_name: name.search_name, phone: phone ?? null, ...details }, guardianPhone, dui };
}
