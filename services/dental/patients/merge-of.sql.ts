// Whether a patient was merged into another one, as far as the events of merges have been handled. The records of the patient follow these events as well.
import { type Db, readTenant, row, type SystemTx, sql } from '@clinic/lib/db/db.ts';

/** A merge; `merge_id` is a UUIDv7, so that merges are in the order in which they were made. */
export type Merge = { clinic_id: string; merge_id: string; kept_id: string; merged_id: string };

// The last merge in which the patient took part decides: an earlier one was undone before it, even if the event of its undo has not been handled.
const findStatement = sql<Merge>(`
  select clinic_id, merge_id, kept_id, merged_id from (
    select * from patient_merges where clinic_id = $1 and $2 in (kept_id, merged_id) order by merge_id desc limit 1
  ) last where merged_id = $2 and not undone`);

/** The merge of this patient into another one; undefined for a patient who is not merged. */
export const findMergeOf = (tx: SystemTx, clinicId: string, patientId: string) => row(tx, findStatement, [clinicId, patientId]);

/** The id of the patient who remains after merges; the same id for others. */
export async function remainingId(db: Db, clinicId: string, patientId: string): Promise<string> {
  const [merge] = await readTenant(db, clinicId, findStatement, [clinicId, patientId]);
  return merge ? remainingId(db, clinicId, merge.kept_id) : patientId;
}
