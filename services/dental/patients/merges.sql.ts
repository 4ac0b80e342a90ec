// The merges of patients that were handled. The records of the patients follow them (patient-merges/).
import { rows, type SystemTx, sql } from '@clinic/lib/db/db.ts';
import { mergesIn } from '@clinic/lib/merges/merges.sql.ts';
import { withRelated } from '@clinic/lib/merges/related.sql.ts';
import { lastMerges, type Merge, remainingOf } from '@clinic/lib/merges/remaining-rules.ts';

/** The tables with records of patients. The columns for the ids of moved records have the same names. */
export const MOVED = ['treatment_plans', 'payment_plans', 'chart_entries', 'periodontal_exams'] as const;

export const { lockMerges, insertMerge, findMergeOf, remainingId, setUndone, addMoved, removeMoved } = mergesIn(
  { table: 'patient_merges', lock: 'dental patient merges', columns: MOVED },
  (text) => sql(text),
);

const listRelatedStatement = sql<Merge>(`${withRelated('patient_merges')}
  select merge_id, kept_id, merged_id, undone from patient_merges
  where clinic_id = $1 and kept_id = any(array(select id from related)) order by merge_id`);

/** Whether two patients had one record, until a merge was undone. */
export async function areSeparated(tx: SystemTx, clinicId: string, one: string, other: string): Promise<boolean> {
  if (one === other) return false;
  const last = lastMerges(await rows(tx, listRelatedStatement, [clinicId, one]));
  return last.has(other) && remainingOf(last, one).remaining !== remainingOf(last, other).remaining;
}
