// Archived records of persons who gave a phone without proving it. When the desk confirms or completes the appointment, the record is merged into
// the patient who has the phone, or becomes a patient if the desk has given it a phone.
import { audit } from '@clinic/lib/audit/audit.ts';
import { execute, getRow, row, sql, type TenantTx } from '@clinic/lib/db/db.ts';
import { searchName } from '@clinic/lib/formats/search-name.ts';
import type { Caller } from '@clinic/lib/rpc/caller.ts';
import { v7 } from 'uuid';
import type { App } from '../app.ts';
import { publishChange, resolvePatient, toNamed } from './booked-patient.ts';
import { type DuiHolder, decryptDui, encryptDui } from './encrypted-dui.ts';
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

const findStatement = sql<BookedPatient & { claimed_phone: string }>(`
  select ${bookedColumnsOf('patients')}, claimed_phone from patients where clinic_id = $1 and id = $2 and claimed_phone is not null and merged_into is null
  for update`);
const acceptStatement = sql<BookedPatient>(`
  update patients set claimed_phone = null, archived_at = null, updated_at = $3 where clinic_id = $1 and id = $2 returning ${bookedColumnsOf('patients')}`);
const mergeStatement = sql('update patients set merged_into = $3, updated_at = $4 where clinic_id = $1 and id = $2');

/**
 * Merges the record into the patient who has the claimed phone, who is added, renamed or restored, and takes over what the desk has written into the
 * record. A record to which the desk has given a phone becomes a patient itself. Undefined when the record has no claimed phone. Locks the record before
 * the patient, whom it changes in one statement: the order of locks is described at lockPair().
 */
export async function resolveClaim({ keys }: App, tx: TenantTx, caller: Caller, id: string, now: Date): Promise<BookedPatient | undefined> {
  const claim = await row(tx, findStatement, [tx.clinicId, id]);
  if (!claim) return undefined;
  if (claim.phone) return publishChange(tx, caller, claim, await getRow(tx, acceptStatement, [tx.clinicId, id, now]));
  const { full_name, claimed_phone: phone } = claim;
  const dui = decryptDui(keys, claim);
  const toDui = (holder: DuiHolder) => (holder.dui_sealed ? null : encryptDui(keys, tx.clinicId, holder.id, dui));
  const patient = await resolvePatient(tx, caller, { name: toNamed(full_name), phone, toDui, fillFrom: id }, now);
  await execute(tx, mergeStatement, [tx.clinicId, id, patient.id, now]);
  return patient;
}
