// The records of a patient. What was written for a record stays with it when it is merged into another one, and is shown for the remaining patient.
import { type Db, readTenant, row, sql, type TenantTx } from '@clinic/lib/db/db.ts';
import { found } from '@clinic/lib/errors/errors.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { refuseMerged } from './merged-record-rules.ts';

/** In a subquery of its own, where the names of tables in the arguments are those of the caller. */
const given = (clinic: string, patient: string) => `(select ${clinic}::uuid, ${patient}::uuid) given (clinic_id, id)
  join patients p on p.clinic_id = given.clinic_id and p.id = given.id`;

/** An array of ids: the patient's and those of the records merged into it. The id of a merged record means the remaining patient. The arguments are SQL. */
export const recordsOf = (clinic: string, patient: string) => `array(
  select r.id from ${given(clinic, patient)} cross join lateral (
    select coalesce(p.merged_into, p.id) union all select q.id from patients q where q.clinic_id = p.clinic_id and q.merged_into = coalesce(p.merged_into, p.id)
  ) r (id))`;

/** The id of the patient, or of the one into whom the record was merged; null for an unknown one. The arguments are SQL. */
export const remainingOf = (clinic: string, patient: string) => `(select coalesce(p.merged_into, p.id) from ${given(clinic, patient)})`;

/** Joins the record `r` of a row, and the patient `p` who is shown: the one into whom the record was merged, or the record itself. `row` is an alias. */
export const shownPatientOf = (row: string) => `join patients r on r.clinic_id = ${row}.clinic_id and r.id = ${row}.patient_id
  join patients p on p.clinic_id = r.clinic_id and p.id = coalesce(r.merged_into, r.id)`;

const existsStatement = sql('select from patients where clinic_id = $1 and id = $2');

/** Before a list of what a patient has. Throws NOT_FOUND unless the clinic has the patient, who may be erased or merged into another one. */
export async function requireRecord(db: Db, clinicId: string, patientId: string): Promise<void> {
  const [record] = isUuid(patientId) ? await readTenant(db, clinicId, existsStatement, [clinicId, patientId]) : [];
  found(record, 'Patient');
}

const lockStatement = sql<{ id: string; merged_into: string | null }>(`
  select id, merged_into from patients where clinic_id = $1 and id = $2 and erased_at is null for key share`);

/** Before something is added to a patient. Returns the id. Throws NOT_FOUND when the patient is unknown or erased, CONFLICT when it was merged. */
export async function lockRecord(tx: TenantTx, patientId: string): Promise<string> {
  const record = found(await row(tx, lockStatement, [tx.clinicId, patientId]), 'Patient');
  refuseMerged(record);
  return record.id;
}

const mergedStatement = sql<{ merged_into: string }>('select merged_into from patients where clinic_id = $1 and id = $2 and merged_into is not null');

/** Before something that a patient has is changed or sent. Throws CONFLICT when the id is that of a merged record. */
export async function refuseMergedRecord(tx: TenantTx, patientId: string): Promise<void> {
  const merged = await row(tx, mergedStatement, [tx.clinicId, patientId]);
  if (merged) refuseMerged(merged);
}
