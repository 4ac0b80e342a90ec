// Plans as dental returns them, mapped to the rows from which figures are computed.
import { timestampDate } from '@bufbuild/protobuf/wkt';
import type { PaymentPlanFacts as PaymentPlanMessage, TreatmentPlanFacts as TreatmentPlanMessage } from '@clinic/proto/dental/v1/states_pb.js';
import type { PaymentPlanFacts, TreatmentFacts } from './sql/plans.sql.ts';

const EPOCH = new Date(0);

/** Empty for a message without a plan. */
export function toPaymentPlanFacts({ clinicId, paymentPlan, openedAt, instalments, payments }: PaymentPlanMessage): PaymentPlanFacts[] {
  if (!paymentPlan || !openedAt) return [];
  const { paymentPlanId, patientId, treatmentPlanId, status, totalCents, revision } = paymentPlan;
  return [
    {
      clinic_id: clinicId,
      payment_plan_id: paymentPlanId,
      patient_id: patientId,
      treatment_plan_id: treatmentPlanId || null,
      status,
      total_cents: totalCents,
      opened_at: timestampDate(openedAt),
      instalments: instalments.map(({ dueDate, amountCents }) => ({ due_date: dueDate, cents: amountCents })),
      payments: payments.map(({ paymentId, amountCents, paidAt }) => ({
        payment_id: paymentId,
        cents: amountCents,
        paid_at: paidAt ? timestampDate(paidAt) : EPOCH,
      })),
      revision,
    },
  ];
}

/** Empty for a message without a plan. */
export function toTreatmentFacts(plan: TreatmentPlanMessage): Omit<TreatmentFacts, 'opened_on'>[] {
  const { clinicId, treatmentPlan, openedAt, totalCents, quoteAccepted, steps } = plan;
  if (!treatmentPlan || !openedAt) return [];
  const { treatmentPlanId, patientId, status, revision } = treatmentPlan;
  const planned = steps.filter((step) => step.status !== 'skipped');
  const unscheduled = status === 'active' ? steps.filter((step) => step.status === 'pending') : [];
  return [
    {
      clinic_id: clinicId,
      treatment_plan_id: treatmentPlanId,
      patient_id: patientId,
      status,
      total_cents: totalCents,
      opened_at: timestampDate(openedAt),
      accepted: quoteAccepted || steps.some((step) => step.status === 'scheduled' || step.status === 'completed'),
      unscheduled_steps: unscheduled.length,
      unscheduled_cents: unscheduled.reduce((sum, { costCents }) => sum + costCents, 0n),
      steps: planned.map(({ procedureCode, costCents }) => ({ procedure: procedureCode, cents: costCents })),
      appointments: planned.map(({ appointmentId }) => appointmentId).filter(Boolean),
      revision,
    },
  ];
}
