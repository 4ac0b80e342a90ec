// Records a payment. The plan's lock puts concurrent payments in order, so that their sum never exceeds the balance.
import { create } from '@bufbuild/protobuf';
import type { TenantTx } from '@clinic/lib/db/db.ts';
import { fail, found } from '@clinic/lib/errors/errors.ts';
import { emit } from '@clinic/lib/events/outbox.ts';
import { fromCents, parseCents } from '@clinic/lib/formats/money.ts';
import { parseOneOf } from '@clinic/lib/formats/numbers.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { type Abridged, idempotent } from '@clinic/lib/rpc/idempotency.ts';
import type { Call } from '@clinic/lib/rpc/pipeline.ts';
import { PaymentPlanService, PaymentSchema, type RecordPaymentRequest } from '@clinic/proto/dental/v1/payment_plan_pb.js';
import { PaymentRecordedSchema } from '@clinic/proto/events/v1/dental_pb.js';
import { v7 } from 'uuid';
import type { App } from '../app.ts';
import { parseNotes } from '../treatment-plans/parse-fields.ts';
import { listStepAppointments } from '../treatment-plans/sql/treatment-steps.sql.ts';
import { listInstalments } from './instalments.sql.ts';
import { clinicToday, publishPaymentPlanChange, toDetail, toPaymentState } from './payment-plan-changes.ts';
import { lockPaymentPlan, toState, updatePaymentPlan } from './payment-plans.sql.ts';
import { PAYMENT_METHODS, statusAfterChange } from './payment-status-rules.ts';
import { insertPayment, listPayments, listPaymentsByReceipt, toProto } from './payments.sql.ts';

export async function recordPayment(app: App, request: RecordPaymentRequest, call: Call) {
  if (!isUuid(request.id)) fail('NOT_FOUND', 'Payment plan not found');
  const amount_cents = parseCents('amount', request.amount);
  const payment_method = parseOneOf('payment_method', request.paymentMethod ?? 'cash', PAYMENT_METHODS);
  const notes = parseNotes(request.notes);
  const today = clinicToday(app, call);
  const record = async (tx: TenantTx, [locked, payments, instalments]: Awaited<ReturnType<typeof readPlan>>) => {
    const now = app.clock.now();
    const plan = found(locked, 'Payment plan');
    const balance_cents = plan.total_cents - plan.paid_cents - amount_cents;
    if (balance_cents < 0n)
      fail('AMOUNT_EXCEEDS_BALANCE', undefined, [{ path: 'amount', message: `must be at most ${fromCents(balance_cents + amount_cents).toFixed(2)}` }]);
    const id = v7();
    const paid = { ...plan, paid_cents: plan.paid_cents + amount_cents };
    // Commissions are attributed to the doctors of these appointments.
    const appointmentIds = plan.treatment_plan_id ? await listStepAppointments(tx, plan.treatment_plan_id) : [];
    const [after, payment] = await Promise.all([
      updatePaymentPlan(tx, { ...paid, ...statusAfterChange(paid, instalments, today) }, today, now),
      insertPayment(tx, { id, payment_plan_id: plan.id, amount_cents, payment_method, notes, balance_cents, paid_at: now }),
    ]);
    await Promise.all([
      emit(tx, tx.clinicId, PaymentRecordedSchema, { payment: toPaymentState(payment), paymentPlan: toState(after), appointmentIds }),
      publishPaymentPlanChange(tx, call, after, { action: 'payment.recorded', entityId: id, changes: { receipt_number: payment.receipt_number } }),
    ]);
    return toDetail(after, [...payments, payment], instalments, today);
  };
  return idempotent(app.db, call, PaymentPlanService.method.recordPayment, request, record, (tx) => readPlan(tx, request.id), byReceipts);
}

/** The plan, locked, with its payments and instalments. */
const readPlan = (tx: TenantTx, id: string) => Promise.all([lockPaymentPlan(tx, id), listPayments(tx, id), listInstalments(tx, id)]);

/** Stores only the receipt numbers of the payments: a plan gets more and more payments, and a payment changes only when it is voided. */
const byReceipts: Abridged<typeof PaymentPlanService.method.recordPayment> = {
  shorten: (plan) => ({ ...plan, payments: plan.payments.map(({ receiptNumber }) => create(PaymentSchema, { receiptNumber })) }),
  async restore(tx, plan) {
    if (plan.payments.some(({ id }) => id)) return plan;
    const receipts = plan.payments.map(({ receiptNumber }) => receiptNumber);
    const payments = await listPaymentsByReceipt(tx, plan.id, receipts);
    return { ...plan, payments: payments.map((payment) => create(PaymentSchema, toProto({ ...payment, voided_at: null, void_reason: null }))) };
  },
};
