// Identifies the patient of a row by phone, by DUI, or by name and date of birth.
import { invalid } from '@clinic/lib/errors/errors.ts';
import { parseLocalDate } from '@clinic/lib/formats/local-date.ts';
import { parsePhone } from '@clinic/lib/formats/phone.ts';
import { searchName } from '@clinic/lib/formats/search-name.ts';
import { isoDate } from '../patient-imports/import-cell-rules.ts';
import { type Columns, PATIENT_COLUMNS } from '../patient-imports/import-columns-rules.ts';
import type { KnownPatient } from '../patient-imports/patients-in-bulk.sql.ts';
import { nameOf, type readCells } from '../patient-imports/read-cells.ts';
import { parseOptionalDui } from '../patients/parse-patient.ts';

const { full_name, first_name, last_name, phone, guardian_phone, dui, birth_date } = PATIENT_COLUMNS;
export const REF_COLUMNS = { full_name, first_name, last_name, phone, guardian_phone, dui, birth_date };
type RefColumn = keyof typeof REF_COLUMNS;

/** `phone` is the patient's or the guardian's; `search_name` is '' without a name. */
export type PatientRef = { phone: string | null; dui: string | null; search_name: string; birth_date: string | null };

export const missingRef = (columns: Columns<RefColumn>): string | undefined =>
  columns.phone || columns.dui || ((columns.full_name || columns.first_name) && columns.birth_date)
    ? undefined
    : 'must have a header line with a column for the phone or the DUI, or with columns for name and date of birth, for example telefono';

export function parseRef({ at, attempt }: Pick<ReturnType<typeof readCells<RefColumn>>, 'at' | 'attempt'>, country: string): PatientRef {
  const phoneField = at('phone') ? 'phone' : 'guardian_phone';
  const ref = {
    phone: attempt(phoneField, (text) => (text ? parsePhone('phone', text, country) : null)) ?? null,
    dui: attempt('dui', (text) => parseOptionalDui('dui', text)) ?? null,
    search_name: searchName(nameOf(at)),
    birth_date: attempt('birth_date', (text) => (text ? parseLocalDate('birth_date', isoDate(text)) : null)) ?? null,
  };
  const isNamed = at('phone') || at('guardian_phone') || at('dui') || (ref.search_name && at('birth_date'));
  if (!isNamed) attempt('phone', () => invalid('phone', 'is required without a DUI, or without a name and a date of birth'));
  return ref;
}

export const refKey = ({ phone, dui, search_name, birth_date }: PatientRef) => [phone ?? dui ?? birth_date, search_name].join('|');

/** Whether all words of one name are in the other: `Ana Paz` is `Ana Paz de León`. */
export function isSameName(one: string, other: string): boolean {
  const [a, b] = [one, other].map((name) => new Set(name.split(' ').filter(Boolean))) as [Set<string>, Set<string>];
  return a.size > 0 && b.size > 0 && (a.isSubsetOf(b) || b.isSubsetOf(a));
}

/** A patient or merged record. */
export type Candidate = Pick<KnownPatient, 'id' | 'phone' | 'search_name' | 'guardian_id' | 'dui_index' | 'birth_date' | 'merged_into'>;

/** The patient's id, or why there is none. `indexesOf` returns the values that the column dui_index may have for a DUI. */
export function matchPatient(ref: PatientRef, candidates: Candidate[], indexesOf: (dui: string) => Buffer[]): { id: string } | { fault: string } {
  if (ref.phone) {
    const found = candidates.find(({ phone }) => phone === ref.phone);
    if (!found) return { fault: 'has a phone that no patient has: import the patients first' };
    const id = found.merged_into ?? found.id;
    const owner = candidates.find((one) => one.id === id) ?? found;
    if (!ref.search_name || owner.search_name === ref.search_name) return { id };
    const family = [...candidates.filter((one) => one.guardian_id === id && !one.merged_into), owner];
    const [named] = [family.filter((one) => one.search_name === ref.search_name), family.filter((one) => isSameName(one.search_name, ref.search_name))].filter(
      (some) => some.length === 1,
    );
    return named?.[0] ? { id: named[0].id } : { fault: 'has the phone of a patient with another name' };
  }
  const indexes = ref.dui ? indexesOf(ref.dui) : [];
  const same = ref.dui
    ? candidates.filter(({ dui_index }) => dui_index && indexes.some((index) => index.equals(dui_index)))
    : candidates.filter(({ search_name, birth_date }) => search_name === ref.search_name && birth_date === ref.birth_date);
  const ids = [...new Set(same.map(({ id, merged_into }) => merged_into ?? id))];
  if (ids.length === 1) return { id: ids[0] as string };
  return { fault: ids.length === 0 ? 'names no patient: import the patients first' : 'names several patients: add the phone' };
}
