// Moves records from one patient to another. As the system, because event consumers call it.
import { execute, row, rows, type SystemTx, sql } from '@clinic/lib/db/db.ts';
import type { PaymentPlanState } from '../payment-plans/payment-plans.sql.ts';

export type Merge = { clinicId: string; mergeId: string; keptId: string; mergedId: string };

export type Moved = {
  treatment_plans: string[];
  payment_plans: string[];
  chart_entries: string[];
  periodontal_exams: string[];
  recall_contacts: string[];
};

const insertStatement = sql(`
  insert into patient_merges (clinic_id, merge_id, kept_id, merged_id, undone) values ($1, $2, $3, $4, $5) on conflict do nothing`);

/** False when the merge is already stored, as done or as undone. */
export const insertMerge = async (tx: SystemTx, { clinicId, mergeId, keptId, mergedId }: Merge, undone: boolean) =>
  (await execute(tx, insertStatement, [clinicId, mergeId, keptId, mergedId, undone])) === 1;

const storeMovedStatement = sql(`
  update patient_merges set treatment_plans = $3, payment_plans = $4, chart_entries = $5, periodontal_exams = $6, recall_contacts = $7
  where clinic_id = $1 and merge_id = $2`);

export async function storeMovedRecords(tx: SystemTx, { clinicId, mergeId }: Merge, moved: Moved): Promise<void> {
  const { treatment_plans, payment_plans, chart_entries, periodontal_exams, recall_contacts } = moved;
  await execute(tx, storeMovedStatement, [clinicId, mergeId, treatment_plans, payment_plans, chart_entries, periodontal_exams, recall_contacts]);
}

const undoStatement = sql<Moved>(`
  update patient_merges set undone = true where clinic_id = $1 and merge_id = $2 and not undone
  returning treatment_plans, payment_plans, chart_entries, periodontal_exams, recall_contacts`);

/** The records that the merge moved; undefined when it was already undone. */
export const undoMerge = (tx: SystemTx, { clinicId, mergeId }: Merge) => row(tx, undoStatement, [clinicId, mergeId]);

// $1 clinic, $2 from, $3 to, $4 ids or null for all.
const OF_PATIENT = 'clinic_id = $1 and patient_id = $2 and ($4::uuid[] is null or id = any($4))';

type MovedPlan = { id: string; patient_id: string; status: string; revision: number };

const moveTreatmentPlans = sql<MovedPlan>(`
  update treatment_plans set patient_id = $3, revision = revision + 1, updated_at = $5 where ${OF_PATIENT} returning id, patient_id, status, revision`);
const movePaymentPlans = sql<PaymentPlanState>(`
  update payment_plans set patient_id = $3, revision = revision + 1, updated_at = $5 where ${OF_PATIENT}
  returning id, patient_id, treatment_plan_id, status, total_cents, paid_cents, next_due_date, revision`);
const moveExams = sql<{ id: string }>(`update periodontal_exams set patient_id = $3 where ${OF_PATIENT} returning id`);
// A contact is not moved when both patients were contacted on the same day: recall_contacts allows one contact per patient and day.
const moveContacts = sql<{ id: string }>(`
  update recall_contacts moved set patient_id = $3 where ${OF_PATIENT}
  and not exists (select from recall_contacts other where other.clinic_id = $1 and other.patient_id = $3 and other.day = moved.day)
  returning id`);

// Plans are locked before charts, in the order of a step that is completed and closes its finding.
const lockPlans = sql('select from treatment_plans where clinic_id = $1 and patient_id = $2 order by id for update');
// Locks both charts in a fixed order, with the same lock that adding an entry takes.
const lockCharts = sql(`
  insert into charts (clinic_id, patient_id, last_number) select $1, patient.id, 0 from unnest(array[$2::uuid, $3::uuid]) as patient (id) order by 2
  on conflict (clinic_id, patient_id) do update set last_number = charts.last_number`);
// A correction moves with the entry that it replaces, and an entry that closes a finding moves with its step, whose plan has already moved. The
// offset avoids collisions with existing numbers.
const moveEntries = sql<{ id: string }>(`
  with recursive moving as (
    select id from chart_entries where ${OF_PATIENT}
    union select e.id from treatment_plans p join treatment_steps s on s.clinic_id = p.clinic_id and s.treatment_plan_id = p.id
      join chart_entries e on e.clinic_id = s.clinic_id and e.id = s.closing_entry_id
      where p.clinic_id = $1 and p.patient_id = $3 and e.patient_id = $2
    union select later.id from chart_entries later join moving on later.replaces = moving.id where later.clinic_id = $1 and later.patient_id = $2
  )
  update chart_entries set patient_id = $3, number = number + 1000000000 where clinic_id = $1 and id in (select id from moving) returning id`);
const offsetNumbers = sql(`
  update chart_entries set number = number + 500000000 where clinic_id = $1 and patient_id = any($2) and number < 500000000`);
const renumber = sql(`
  update chart_entries e set number = counted.number
  from (select id, patient_id, row_number() over (partition by patient_id order by created_at, number) as number
    from chart_entries where clinic_id = $1 and patient_id = any($2)) counted
  where e.clinic_id = $1 and e.patient_id = counted.patient_id and e.id = counted.id`);
const countEntries = sql(`
  update charts c set last_number = (select count(*) from chart_entries e where e.clinic_id = $1 and e.patient_id = c.patient_id)
  where c.clinic_id = $1 and c.patient_id = any($2)`);

/** Moves all records of a patient, or only those in `selected`. */
export async function moveRecords(tx: SystemTx, clinicId: string, from: string, to: string, selected: Moved | undefined, now: Date) {
  const values = (ids: string[] | undefined) => [clinicId, from, to, ids ?? null];
  await execute(tx, lockPlans, [clinicId, from]);
  await execute(tx, lockCharts, [clinicId, from, to]);
  const [plans, paymentPlans, exams, contacts, entries] = await Promise.all([
    rows(tx, moveTreatmentPlans, [...values(selected?.treatment_plans), now]),
    rows(tx, movePaymentPlans, [...values(selected?.payment_plans), now]),
    rows(tx, moveExams, values(selected?.periodontal_exams)),
    rows(tx, moveContacts, values(selected?.recall_contacts)),
    rows(tx, moveEntries, values(selected?.chart_entries)),
  ]);
  // The entries of each chart are numbered without gaps in the order of their creation.
  if (entries.length > 0) for (const statement of [offsetNumbers, renumber, countEntries]) await execute(tx, statement, [clinicId, [from, to]]);
  return { plans, paymentPlans, exams, contacts, entries };
}
