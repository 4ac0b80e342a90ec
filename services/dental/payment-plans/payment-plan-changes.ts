// Changes of payment plans, and one plan with its payments and instalments.
import type { MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { type AuditEntry, audit, maskChanges } from '@clinic/lib/audit/audit.ts';
import { inTenant, type TenantTx } from '@clinic/lib/db/db.ts';
import { fail, found } from '@clinic/lib/errors/errors.ts';
import { emit } from '@clinic/lib/events/outbox.ts';
import { dateIn } from '@clinic/lib/formats/local-date.ts';
import { toTimestamp } from '@clinic/lib/formats/timestamp.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { PaymentPlanDetailSchema } from '@clinic/proto/dental/v1/payment_plan_pb.js';
import { PaymentPlanUpdatedSchema } from '@clinic/proto/events/v1/dental_pb.js';
import type { App } from '../app.ts';
import { PERSONAL_FIELDS } from '../treatment-plans/parse-fields.ts';
import { listStepAppointments } from '../treatment-plans/sql/treatment-steps.sql.ts';
import { coverInstalments, type Instalment } from './instalment-rules.ts';
import { listInstalments } from './instalments.sql.ts';
import { findPaymentPlan, lockPaymentPlan, type PaymentPlanRow, toProto, toState, updatePaymentPlan } from './payment-plans.sql.ts';
import { type PaymentStatus, statusAfterChange, statusSetByUser } from './payment-status-rules.ts';
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

export type PaymentPlanChanges = Partial<Pick<PaymentPlanRow, 'description' | 'reminder_enabled' | 'reminder_day_of_month' | 'notes'>>;

/** Changes a plan. A status in `wanted` applies until the next payment, void or change; without it the status follows the amount paid. */
export async function changePaymentPlan(app: App, call: Call, id: string, changes: PaymentPlanChanges, wanted?: PaymentStatus): Promise<PaymentPlanRow> {
  if (!isUuid(id)) fail('NOT_FOUND', 'Payment plan not found');
  const today = clinicToday(app, call);
  return inTenant(app.db, clinicOf(call).id, async (tx) => {
    const before = found(await lockPaymentPlan(tx, id), 'Payment plan');
    const instalments = await listInstalments(tx, id);
    const status = wanted === undefined ? statusAfterChange(before, instalments, today) : statusSetByUser(wanted, before, instalments, today);
    const after = await updatePaymentPlan(tx, { ...before, ...changes, ...status }, today, app.clock.now());
    await publishPaymentPlanChange(tx, call, after, { action: 'payment_plan.updated', entityId: id, changes: maskChanges(before, after, PERSONAL_FIELDS) });
    return after;
  });
}

/** The plan with its payments and instalments. Throws NOT_FOUND when the clinic has no such plan. */
export async function getPaymentPlanDetail(tx: TenantTx, id: string, today: string): Promise<MessageInitShape<typeof PaymentPlanDetailSchema>> {
  const [plan, payments, instalments] = await Promise.all([findPaymentPlan(tx, id), listPayments(tx, id), listInstalments(tx, id)]);
  return toDetail(found(plan, 'Payment plan'), payments, instalments, today);
}

export function toDetail(
  plan: PaymentPlanRow,
  payments: PaymentRow[],
  instalments: Instalment[],
  today: string,
): MessageInitShape<typeof PaymentPlanDetailSchema> {
  const installments = coverInstalments(instalments, plan.paid_cents).map(({ number, due_date, amount_cents, covered_cents }) => {
    const unpaid = due_date < today ? 'overdue' : 'due';
    return { number, dueDate: due_date, amount: amount_cents, amountPaid: covered_cents, status: covered_cents === amount_cents ? 'paid' : unpaid };
  });
  return { ...toProto(plan, today), payments: payments.map(paymentToProto), installments };
}

/** The payment as events carry it. */
export function toPaymentState({ id, amount_cents, payment_method, paid_at, voided_at }: PaymentRow) {
  const voidedAt = toTimestamp(voided_at);
  return { paymentId: id, amountCents: amount_cents, paymentMethod: payment_method, paidAt: timestampFromDate(paid_at), voidedAt };
}

/** Ids of the appointments of the treatment that a plan pays for: commissions are attributed to their doctors. */
export function listPlanAppointments(tx: TenantTx, plan: PaymentPlanRow): Promise<string[]> {
  return plan.treatment_plan_id ? listStepAppointments(tx, plan.treatment_plan_id) : Promise.resolve([]);
}
