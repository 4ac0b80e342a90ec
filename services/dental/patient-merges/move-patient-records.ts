// Moves the dental records of one patient to another and publishes the changed plans.
import type { SystemTx } from '@clinic/lib/db/db.ts';
import { emit } from '@clinic/lib/events/outbox.ts';
import { PaymentPlanUpdatedSchema, TreatmentPlanUpdatedSchema } from '@clinic/proto/events/v1/dental_pb.js';
import { toState } from '../payment-plans/payment-plans.sql.ts';
import { type Moved, moveRecords } from './patient-merges.sql.ts';

/** Moves all records of `from`, or only those in `selected`. Returns the ids of the moved records. */
export async function movePatientRecords(tx: SystemTx, clinicId: string, from: string, to: string, selected: Moved | undefined, now: Date): Promise<Moved> {
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
