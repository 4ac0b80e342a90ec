// Archived records of persons who gave a phone without proving it. When the desk confirms or completes the appointment, the record is merged into
// the patient who has the phone.
import { audit } from '@clinic/lib/audit/audit.ts';
import { execute, getRow, row, sql, type TenantTx } from '@clinic/lib/db/db.ts';
import { searchName } from '@clinic/lib/formats/search-name.ts';
import type { Caller } from '@clinic/lib/rpc/caller.ts';
import { v7 } from 'uuid';
import { resolvePatient, toNamed } from './booked-patient.ts';
import { publishCreated } from './publish-patients.ts';
import { type BookedPatient, bookedColumnsOf } from './sql/patients.sql.ts';

const insertStatement = sql<BookedPatient>(`
  insert into patients (clinic_id, id, full_name, search_name, claimed_phone, archived_at, created_at, updated_at) values ($1, $2, $3, $4, $5, $6, $6, $6)
  returning ${bookedColumnsOf('patients')}`);

export async function insertClaim(tx: TenantTx, caller: Caller, name: string, phone: string, now: Date): Promise<BookedPatient> {
  const inserted = await getRow(tx, insertStatement, [tx.clinicId, v7(), name, searchName(name), phone, now]);
  await Promise.all([publishCreated(tx, tx.clinicId, inserted), audit(tx, tx.clinicId, caller, { action: 'patient.created', entityId: inserted.id })]);
  return inserted;
}

const findStatement = sql<{ full_name: string; claimed_phone: string }>(`
  select full_name, claimed_phone from patients where clinic_id = $1 and id = $2 and claimed_phone is not null and merged_into is null for update`);
const mergeStatement = sql('update patients set merged_into = $3, updated_at = $4 where clinic_id = $1 and id = $2');

/** Merges the record into the patient who has the claimed phone, who is added, renamed or restored. Undefined when the record has no claimed phone. */
export async function resolveClaim(tx: TenantTx, caller: Caller, id: string, now: Date): Promise<BookedPatient | undefined> {
  const claim = await row(tx, findStatement, [tx.clinicId, id]);
  if (!claim) return undefined;
  const { full_name, claimed_phone: phone } = claim;
  const patient = await resolvePatient(tx, caller, { name: toNamed(full_name), phone }, now);
  await execute(tx, mergeStatement, [tx.clinicId, id, patient.id, now]);
  return patient;
}
