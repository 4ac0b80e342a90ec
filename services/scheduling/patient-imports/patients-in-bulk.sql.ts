// Reads and writes many patients per statement, with one array parameter per column.
import { rows, sql, type TenantTx } from '@clinic/lib/db/db.ts';
import { qualified } from '@clinic/lib/db/qualified.ts';
import {
  type EncryptedDui,
  FAMILY_ORDER,
  isGuardianOptedOut,
  type PatientFields,
  type PatientRow,
  type PatientState,
  STATE_COLUMNS,
} from '../patients/sql/patients.sql.ts';

export type KnownPatient = PatientFields & Pick<PatientRow, 'id' | 'guardian_id' | 'archived_at' | 'merged_into'> & { dui_index: Buffer | null };

const KNOWN = `id, full_name, search_name, phone, dui_index, email, birth_date, gender, address, notes, guardian_id, archived_at, merged_into`;

// One read by index for each phone: without statistics, as in a clinic's first import, PostgreSQL would compare each phone with all patients.
const lockByPhoneStatement = sql<KnownPatient>(`
  select ${qualified(KNOWN, 'patients')} from (
    select distinct record.id from unnest($2::text[]) as given (phone)
    cross join lateral (select id, merged_into from patients where clinic_id = $1 and phone = given.phone limit 1) owner
    cross join lateral unnest(array[owner.id, owner.merged_into]) as record (id)
  ) found join patients on patients.clinic_id = $1 and patients.id = found.id
  ${FAMILY_ORDER} for update of patients`);

/** The records with these phones, and the patients into whom they were merged. */
export const lockByPhone = (tx: TenantTx, phones: string[]) => rows(tx, lockByPhoneStatement, [tx.clinicId, phones]);

const lockDependantsStatement = sql<KnownPatient>(`
  select ${KNOWN} from patients where clinic_id = $1 and guardian_id = any($2) and merged_into is null order by id for update`);

export const lockDependants = (tx: TenantTx, guardianIds: string[]) => rows(tx, lockDependantsStatement, [tx.clinicId, guardianIds]);

/** A patient to write. With a null `dui` the stored one stays. */
export type Written = { id: string; fields: PatientFields; guardian_id: string | null; dui: EncryptedDui | null };

const COLUMNS = `unnest($2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[], $7::date[], $8::text[], $9::text[], $10::text[], $11::bytea[], $12::bytea[],
  $13::boolean[], $14::uuid[])
  as w (id, full_name, search_name, phone, email, birth_date, gender, address, notes, dui_sealed, dui_index, dui_verified, guardian_id)`;

const insertStatement = sql<PatientState>(`
  insert into patients (clinic_id, id, full_name, search_name, phone, email, birth_date, gender, address, notes, dui_sealed, dui_index, dui_verified, guardian_id,
    recall_opted_out)
  select $1, w.*, ${isGuardianOptedOut('w.guardian_id')} from ${COLUMNS}
  on conflict on constraint patients_phone_unique do nothing
  returning ${STATE_COLUMNS}`);

/** Returns fewer rows than given when a concurrent transaction took a phone. */
export const insertPatients = (tx: TenantTx, patients: Written[]) => rows(tx, insertStatement, values(tx, patients));

const updateStatement = sql<PatientState>(`
  update patients p set full_name = w.full_name, search_name = w.search_name, email = w.email, birth_date = w.birth_date, gender = w.gender, address = w.address,
    notes = w.notes, dui_sealed = coalesce(w.dui_sealed, p.dui_sealed), dui_index = coalesce(w.dui_index, p.dui_index),
    dui_verified = coalesce(w.dui_verified, p.dui_verified), archived_at = null, updated_at = $15
  from ${COLUMNS} where p.clinic_id = $1 and p.id = w.id
  returning ${qualified(STATE_COLUMNS, 'p')}`);

/** Archived patients are also restored. */
export const updatePatients = (tx: TenantTx, patients: Written[], now: Date) => rows(tx, updateStatement, [...values(tx, patients), now]);

function values(tx: TenantTx, patients: Written[]): unknown[] {
  const fields = ['full_name', 'search_name', 'phone', 'email', 'birth_date', 'gender', 'address', 'notes'] as const;
  return [
    tx.clinicId,
    patients.map(({ id }) => id),
    ...fields.map((field) => patients.map((patient) => patient.fields[field])),
    ...(['ciphertext', 'index', 'verified'] as const).map((part) => patients.map(({ dui }) => dui?.[part] ?? null)),
    patients.map(({ guardian_id }) => guardian_id),
  ];
}
