// Changes of payment plans, and one plan with its payments and instalments.
import { type AuditEntry, audit } from '@clinic/lib/audit/audit.ts';
import type { TenantTx } from '@clinic/lib/db/db.ts';
import { found } from '@clinic/lib/errors/errors.ts';
import { emit } from '@clinic/lib/events/outbox.ts';
import { dateIn } from '@clinic/lib/formats/local-date.ts';
import { toFields } from '@clinic/lib/formats/to-fields.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import { PaymentPlanUpdatedSchema } from '@clinic/proto/events/v1/dental_pb.js';
import type { App } from '../app.ts';
import { coverInstalments, type Instalment } from './instalment-rules.ts';
import { listInstalments } from './instalments.sql.ts';
import { findPaymentPlan, type PaymentPlanRow, toProto, toState, updatePaymentPlan } from './payment-plans.sql.ts';
import { statusAfterChange } from './payment-status-rules.ts';
import { listPayments, type PaymentRow, toProto as paymentToProto, sumPayments } from './payments.sql.ts';

/** The current date in the time zone of the caller's clinic. */
export const clinicToday = (app: App, call: Call) => dateIn(clinicOf(call).timezone, app.clock.now());

/** Publishes the plan after a change and adds the change to the audit log. */
export async function publishPaymentPlanChange(tx: TenantTx, call: Call, plan: PaymentPlanRow, entry: AuditEntry): Promise<void> {
  await Promise.all([emit(tx, tx.clinicId, PaymentPlanUpdatedSchema, { paymentPlan: toState(plan) }), audit(tx, tx.clinicId, call.caller, entry)]);
}

/** Updates the amount paid and the status of a locked plan from its payments. */
export async function applyPayments(tx: TenantTx, plan: PaymentPlanRow, today: string, now: Date): Promise<PaymentPlanRow> {
  const [paid_cents, instalments] = await Promise.all([sumPayments(tx, plan.id), listInstalments(tx, plan.id)]);
  return updatePaymentPlan(tx, { ...plan, paid_cents, ...statusAfterChange({ ...plan, paid_cents }, instalments, today) }, today, now);
}

/** The plan with its payments and instalments. Throws NOT_FOUND when the clinic has no such plan. */
export async function getPaymentPlanDetail(tx: TenantTx, id: string, today: string) {
  const [plan, payments, instalments] = await Promise.all([findPaymentPlan(tx, id), listPayments(tx, id), listInstalments(tx, id)]);
  return toDetail(found(plan, 'Payment plan'), payments, instalments, today);
}

export function toDetail(plan: PaymentPlanRow, payments: PaymentRow[], instalments: Instalment[], today: string) {
  const installments = coverInstalments(instalments, plan.paid_cents).map(({ number, due_date, amount_cents, covered_cents }) => {
    const unpaid = due_date < today ? 'overdue' : 'due';
    return { number, dueDate: due_date, amount: amount_cents, amountPaid: covered_cents, status: covered_cents === amount_cents ? 'paid' : unpaid };
  });
  return { ...toProto(plan, today), payments: payments.map(paymentToProto), installments };
}

/** The payment as events carry it. */
export const toPaymentState = (payment: PaymentRow) => ({ ...toFields(payment), paymentId: payment.id });
