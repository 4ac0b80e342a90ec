// Moves the records of merged patients to the patients who remain, and back when a merge is undone. Each merge stores what it moved. The caller of
// followMerges() and undoMerge() has called lockMerges().
import { asSystem, type SystemTx } from '@clinic/lib/db/db.ts';
import { emit } from '@clinic/lib/events/outbox.ts';
import { job } from '@clinic/lib/jobs/jobs.ts';
import type { StoredMerge } from '@clinic/lib/merges/merges.sql.ts';
import { PaymentPlanUpdatedSchema, TreatmentPlanUpdatedSchema } from '@clinic/proto/events/v1/dental_pb.js';
import type { App } from '../app.ts';
import { addMoved, findMergeOf, lockMerges, removeMoved } from '../patients/merges.sql.ts';
import { toState } from '../payment-plans/payment-plans.sql.ts';
import { lockBookings, lockPatientsOfContacts, storeBookings } from '../recall/sql/recall-contacts.sql.ts';
import { toState as toPlanState } from '../treatment-plans/sql/treatment-plans.sql.ts';
import { placeContacts } from './contact-places-rules.ts';
import { listContacts, listOwners, listToFollow, type Moved, moveContacts, moveRecords, setMovedContacts } from './patient-merges.sql.ts';

/** Moves all records of a patient from merge to merge, up to the patient who was not merged. */
export async function followMerges(tx: SystemTx, clinicId: string, patientId: string, now: Date): Promise<void> {
  for (let merge = await findMergeOf(tx, clinicId, patientId); merge; merge = await findMergeOf(tx, clinicId, merge.kept_id))
    await addMoved(tx, merge, await move(tx, clinicId, merge.merged_id, merge.kept_id, undefined, now));
  await followContacts(tx, clinicId, patientId, now);
}

async function followContacts(tx: SystemTx, clinicId: string, patientId: string, now: Date): Promise<void> {
  await lockPatientsOfContacts(tx, clinicId);
  const { merges, contacts } = await listContacts(tx, clinicId, patientId);
  const { moves, moved } = placeContacts(merges, contacts);
  await setMovedContacts(tx, clinicId, merges, moved);
  if (moves.length === 0) return;
  const patientIds = moves.flatMap(({ from, to }) => [from, to]);
  const clinicIds = patientIds.map(() => clinicId);
  await lockBookings(tx, clinicIds, patientIds);
  await moveContacts(tx, clinicId, moves);
  await storeBookings(tx, clinicIds, patientIds, now); // the event of a booking by the remaining patient may have arrived before the merge
}

/**
 * Moves back what a merge has moved, also records that a later merge has moved on: of two merges, the later one is always undone first, even if its
 * event is handled last.
 */
export async function undoMerge(tx: SystemTx, merge: StoredMerge & Moved, now: Date): Promise<void> {
  const { clinic_id, merged_id } = merge;
  // Includes records that a later merge has already moved back to this patient: the undo of the later merge does not concern them any more.
  for (const { patient_id } of await listOwners(tx, clinic_id, merge))
    await removeMoved(tx, merge, await move(tx, clinic_id, patient_id, merged_id, merge, now));
  await followMerges(tx, clinic_id, merged_id, now);
}

/** Moves all records of `from`, or only those in `selected`, and publishes the changed plans. Returns the ids of the moved records. */
async function move(tx: SystemTx, clinicId: string, from: string, to: string, selected: Moved | undefined, now: Date): Promise<Moved> {
  const moved = await moveRecords(tx, clinicId, from, to, selected, now);
  for (const plan of moved.plans) await emit(tx, clinicId, TreatmentPlanUpdatedSchema, toPlanState(plan));
  for (const plan of moved.paymentPlans) await emit(tx, clinicId, PaymentPlanUpdatedSchema, { paymentPlan: toState(plan) });
  const ids = (rows: { id: string }[]) => rows.map(({ id }) => id);
  return {
    treatment_plans: ids(moved.plans),
    payment_plans: ids(moved.paymentPlans),
    chart_entries: ids(moved.entries),
    periodontal_exams: ids(moved.exams),
  };
}

export const followMergesJob = (app: App) => job('follow-patient-merges', { cron: '*/5 * * * *', retries: 0 }, () => followAllMerges(app));

/**
 * Moves records that were added to a merged patient after its merge was handled: by requests that found the patient before the merge, and committed
 * later. A patient whose records cannot be moved does not delay the others.
 */
export async function followAllMerges({ db, clock, log }: Pick<App, 'db' | 'clock' | 'log'>): Promise<void> {
  // As the system: over all clinics.
  for (const { clinic_id, merged_id } of await asSystem(db, listToFollow))
    await asSystem(db, async (tx) => {
      await lockMerges(tx, clinic_id);
      await followMerges(tx, clinic_id, merged_id, clock.now());
    }).catch((error: unknown) => log.warn({ err: error, clinicId: clinic_id }, 'records of a merged patient could not be moved; the next run tries again'));
}
