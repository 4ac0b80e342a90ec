// Moves records from one patient to another. As the system, because event consumers call it.
import { execute, rows, type SystemTx, sql } from '@clinic/lib/db/db.ts';
import { withRelated } from '@clinic/lib/merges/related.sql.ts';
import { MOVED } from '../patients/merges.sql.ts';
import { type PaymentPlanState, STATE_COLUMNS } from '../payment-plans/payment-plans.sql.ts';
import type { PlanState } from '../treatment-plans/sql/treatment-plans.sql.ts';
import type { ContactMerge } from './contact-places-rules.ts';

/** Ids of records, by table. */
export type Moved = Record<(typeof MOVED)[number], string[]>;

const listOwnersStatement = sql<{ patient_id: string }>(
  MOVED.map((table, index) => `select patient_id from ${table} where clinic_id = $1 and id = any($${index + 2}::uuid[])`).join(' union '),
);

/** The patients to whom records that a merge has moved now belong. */
export const listOwners = (tx: SystemTx, clinicId: string, moved: Moved) => rows(tx, listOwnersStatement, [clinicId, ...MOVED.map((table) => moved[table])]);

// A contact remains at a merged patient when the other patient has one of the same day (placeContacts). The laterals are index lookups.
const listToFollowStatement = sql<{ clinic_id: string; merged_id: string }>(`
  ${MOVED.map(
    (table) => `
  select m.clinic_id, m.merged_id from patient_merges m
  cross join lateral (select from ${table} t where t.clinic_id = m.clinic_id and t.patient_id = m.merged_id limit 1) found where not m.undone union`,
  ).join('')}
  select m.clinic_id, m.merged_id from patient_merges m
  join recall_contacts k on k.clinic_id = m.clinic_id and k.patient_id = m.merged_id
  where not m.undone and not exists (
    select from recall_contacts other where other.clinic_id = m.clinic_id and other.patient_id = m.kept_id and other.day = k.day)`);

/** Merged patients with records. */
export const listToFollow = (tx: SystemTx) => rows(tx, listToFollowStatement, []);

// $1 clinic, $2 from, $3 to, $4 ids or null for all.
const OF_PATIENT = 'clinic_id = $1 and patient_id = $2 and ($4::uuid[] is null or id = any($4))';

const moveTreatmentPlans = sql<PlanState>(`
  update treatment_plans set patient_id = $3, revision = revision + 1, updated_at = $5 where ${OF_PATIENT} returning id, patient_id, status, revision`);
const movePaymentPlans = sql<PaymentPlanState & { clinic_id: string }>(`
  update payment_plans p set patient_id = $3, revision = revision + 1, updated_at = $5 where ${OF_PATIENT}
  returning ${STATE_COLUMNS}`);
const moveExams = sql<{ id: string }>(`update periodontal_exams set patient_id = $3 where ${OF_PATIENT} returning id`);

// Plans are locked before charts, in the order of a step that is completed and closes its finding.
const lockPlans = sql('select from treatment_plans where clinic_id = $1 and patient_id = $2 order by id for update');
// Locks both charts in a fixed order, with the same lock that adding an entry takes.
const lockCharts = sql(`
  insert into charts (clinic_id, patient_id, last_number) select distinct $1::uuid, patient.id, 0 from unnest(array[$2::uuid, $3::uuid]) as patient (id) order by 2
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
  const [plans, paymentPlans, exams, entries] = await Promise.all([
    rows(tx, moveTreatmentPlans, [...values(selected?.treatment_plans), now]),
    rows(tx, movePaymentPlans, [...values(selected?.payment_plans), now]),
    rows(tx, moveExams, values(selected?.periodontal_exams)),
    rows(tx, moveEntries, values(selected?.chart_entries)),
  ]);
  // The entries of each chart are numbered without gaps in the order of their creation.
  if (entries.length > 0) for (const statement of [offsetNumbers, renumber, countEntries]) await execute(tx, statement, [clinicId, [from, to]]);
  return { plans, paymentPlans, exams, entries };
}

// $1 clinic, $2 patient.
const RELATED = withRelated('patient_merges');
const listMergesStatement = sql<ContactMerge>(`${RELATED}
  select merge_id, kept_id, merged_id, undone, recall_contacts from patient_merges
  where clinic_id = $1 and kept_id = any(array(select id from related)) order by merge_id`);
const listContactsStatement = sql<{ id: string; patient_id: string; day: string }>(`${RELATED}
  select id, patient_id, day from recall_contacts
  where clinic_id = $1 and patient_id = any(array(select id from related)) order by id`);

/** The merges of a patient and of all patients whom merges connect with this one, and the recall contacts of these patients. */
export async function listContacts(tx: SystemTx, clinicId: string, patientId: string) {
  const values = [clinicId, patientId];
  const [merges, contacts] = await Promise.all([rows(tx, listMergesStatement, values), rows(tx, listContactsStatement, values)]);
  return { merges, contacts };
}

// recall_contacts allows one contact per patient and day in each statement: contacts that change places get a patient id of their own in between.
const releaseContactsStatement = sql('update recall_contacts set patient_id = id where clinic_id = $1 and id = any($2::uuid[])');
const moveContactsStatement = sql(`
  update recall_contacts c set patient_id = moved.patient_id from unnest($2::uuid[], $3::uuid[]) as moved (id, patient_id)
  where c.clinic_id = $1 and c.id = moved.id`);

export async function moveContacts(tx: SystemTx, clinicId: string, moves: { id: string; to: string }[]): Promise<void> {
  const ids = moves.map(({ id }) => id);
  await execute(tx, releaseContactsStatement, [clinicId, ids]);
  await execute(tx, moveContactsStatement, [clinicId, ids, moves.map(({ to }) => to)]);
}

const setMovedContactsStatement = sql(`
  update patient_merges m set recall_contacts = now.contacts
  from (
    select merge_id, array_remove(array_agg(id order by id), null) as contacts
    from unnest($2::uuid[]) as one (merge_id) left join unnest($3::uuid[], $4::uuid[]) as moved (merge_id, id) using (merge_id) group by merge_id
  ) now
  where m.clinic_id = $1 and m.merge_id = any($2) and m.merge_id = now.merge_id and not m.undone and m.recall_contacts <> now.contacts`);

/** Records which of these merges have moved which contacts. Merges that were undone retain theirs: they show whose contacts these are. */
export const setMovedContacts = (tx: SystemTx, clinicId: string, merges: ContactMerge[], moved: { merge_id: string; id: string }[]) =>
  execute(tx, setMovedContactsStatement, [clinicId, merges.map(({ merge_id }) => merge_id), moved.map(({ merge_id }) => merge_id), moved.map(({ id }) => id)]);
