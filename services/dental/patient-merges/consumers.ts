// When two patients are merged, the dental records of the merged patient move to the retained one, and back when the merge is undone.
import type { SystemTx } from '@clinic/lib/db/db.ts';
import { subscribe } from '@clinic/lib/events/events.ts';
import { emit } from '@clinic/lib/events/outbox.ts';
import { PaymentPlanUpdatedSchema, TreatmentPlanUpdatedSchema } from '@clinic/proto/events/v1/dental_pb.js';
import { PatientsMergedSchema, PatientsUnmergedSchema } from '@clinic/proto/events/v1/scheduling_pb.js';
import type { App } from '../app.ts';
import { toState } from '../payment-plans/payment-plans.sql.ts';
import { insertMerge, type Moved, moveRecords, storeMovedRecords, undoMerge } from './patient-merges.sql.ts';

export const onPatientsMerged = ({ clock }: Pick<App, 'clock'>) =>
  subscribe('records-of-merged-patients', 'scheduling', PatientsMergedSchema, async (tx, { mergeId, keptId, mergedId }, { clinicId }) => {
    const merge = { clinicId, mergeId, keptId, mergedId };
    // Nothing is moved when the undo has already arrived: events may be out of order.
    if (!(await insertMerge(tx, merge, false))) return;
    await storeMovedRecords(tx, merge, await movePatientRecords(tx, clinicId, mergedId, keptId, undefined, clock.now()));
  });

/** Records created since the merge are not moved back. */
export const onPatientsUnmerged = ({ clock }: Pick<App, 'clock'>) =>
  subscribe('records-of-unmerged-patients', 'scheduling', PatientsUnmergedSchema, async (tx, { mergeId, keptId, mergedId }, { clinicId }) => {
    const merge = { clinicId, mergeId, keptId, mergedId };
    if (await insertMerge(tx, merge, true)) return;
    const moved = await undoMerge(tx, merge);
    if (moved) await movePatientRecords(tx, clinicId, keptId, mergedId, moved, clock.now());
  });

/** Moves all records of `from`, or only those in `selected`, and publishes the changed plans. Returns the ids of the moved records. */
async function movePatientRecords(tx: SystemTx, clinicId: string, from: string, to: string, selected: Moved | undefined, now: Date): Promise<Moved> {
  const moved = await moveRecords(tx, clinicId, from, to, selected, now);
  for (const { id, patient_id, status, revision } of moved.plans)
    await emit(tx, clinicId, TreatmentPlanUpdatedSchema, { treatmentPlanId: id, patientId: patient_id, status, revision });
  for (const plan of moved.paymentPlans) await emit(tx, clinicId, PaymentPlanUpdatedSchema, { paymentPlan: toState(plan) });
  const ids = (rows: { id: string }[]) => rows.map(({ id }) => id);
  return {
    treatment_plans: ids(moved.plans),
    payment_plans: ids(moved.paymentPlans),
    chart_entries: ids(moved.entries),
    periodontal_exams: ids(moved.exams),
    recall_contacts: ids(moved.contacts),
  };
}
