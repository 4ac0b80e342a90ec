// The newest event of each patient that has been handled.
import { rows, type SystemTx, sql } from '@clinic/lib/db/db.ts';

// In a fixed order, so that events of several patients do not deadlock.
const upsertStatement = sql<{ patient_id: string }>(`
  insert into patient_revisions as known (clinic_id, patient_id, revision)
  select $1, patient_id, max(revision) from unnest($2::uuid[], $3::int[]) as given (patient_id, revision) group by patient_id order by patient_id
  on conflict (clinic_id, patient_id) do update set revision = excluded.revision where excluded.revision >= known.revision
  returning patient_id`);

/** Stores the revisions and locks their rows. Returns the ids of the patients of whom no newer event has been handled. */
export async function upsertRevisions(tx: SystemTx, clinicId: string, patients: { patientId: string; revision: number }[]): Promise<string[]> {
  const values = [clinicId, patients.map(({ patientId }) => patientId), patients.map(({ revision }) => revision)];
  return (await rows(tx, upsertStatement, values)).map(({ patient_id }) => patient_id);
}
