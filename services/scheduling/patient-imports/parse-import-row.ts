// Parses a row of an import with the same checks as any other input. All errors of a row are returned together.
import { parsePhone } from '@clinic/lib/formats/phone.ts';
import { type DetailsInput, parseDetails, parseOptionalDui } from '../patients/parse-patient.ts';
import type { PatientFields } from '../patients/sql/patients.sql.ts';
import { genderOf, isoDate } from './import-cell-rules.ts';
import type { Columns, PatientColumn } from './import-columns-rules.ts';
import type { Fault } from './patient-imports.sql.ts';
import { nameOf, readCells } from './read-cells.ts';

/** At most 15 digits (E.164), which a number represents exactly. */
export const phoneKey = (phone: string) => Number(phone.slice(1));

/** Empty cells are null. A patient without a phone is found by the guardian's phone and the name. */
export type PatientRow = { row: number; fields: PatientFields; guardianPhone: string | null; dui: string | null };

/** A row, all its errors, or undefined for an empty one. */
type Parsed = PatientRow | Fault[] | undefined;

/** `today` is the date in the clinic. */
export function parseImportRow(row: number, cells: string[], columns: Columns<PatientColumn>, country: string, today: string): Parsed {
  const { at, attempt, faults, isEmpty } = readCells(row, cells, columns);
  if (isEmpty) return undefined;
  const fullName = nameOf(at);
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
