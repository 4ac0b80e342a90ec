// Records a payment. The plan's lock puts concurrent payments in order, so that their sum never exceeds the balance.
import { fail, found } from '@clinic/lib/errors/errors.ts';
import { emit } from '@clinic/lib/events/outbox.ts';
import { parseCents } from '@clinic/lib/formats/money.ts';
import { parseOneOf } from '@clinic/lib/formats/numbers.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { idempotent } from '@clinic/lib/rpc/idempotency.ts';
import type { Call } from '@clinic/lib/rpc/pipeline.ts';
import { PaymentPlanService, type RecordPaymentRequest } from '@clinic/proto/dental/v1/payment_plan_pb.js';
import { PaymentRecordedSchema } from '@clinic/proto/events/v1/dental_pb.js';
import { v7 } from 'uuid';
import type { App } from '../app.ts';
import { takeNumber } from '../documents/counters.sql.ts';
import { parseNotes } from '../treatment-plans/parse-fields.ts';
import { applyPayments, clinicToday, getPaymentPlanDetail, listPlanAppointments, publishPaymentPlanChange, toPaymentState } from './payment-plan-changes.ts';
import { lockPaymentPlan, toState } from './payment-plans.sql.ts';
import { PAYMENT_METHODS } from './payment-status-rules.ts';
import { insertPayment } from './payments.sql.ts';

export async function recordPayment(app: App, request: RecordPaymentRequest, call: Call) {
  if (!isUuid(request.id)) fail('NOT_FOUND', 'Payment plan not found');
  const amount_cents = parseCents('amount', request.amount);
  const payment_method = parseOneOf('payment_method', request.paymentMethod ?? 'cash', PAYMENT_METHODS);
  const notes = parseNotes(request.notes);
  const today = clinicToday(app, call);
  return idempotent(app.db, call, PaymentPlanService.method.recordPayment, request, async (tx) => {
    const now = app.clock.now();
    const plan = found(await lockPaymentPlan(tx, request.id), 'Payment plan');
    const balance_cents = plan.total_cents - plan.paid_cents - amount_cents;
    if (balance_cents < 0n) fail('AMOUNT_EXCEEDS_BALANCE');
    const id = v7();
    const receipt_number = await takeNumber(tx, 'receipt');
    const payment = await insertPayment(tx, {
      id,
      payment_plan_id: plan.id,
      amount_cents,
      payment_method,
      notes,
      receipt_number,
      balance_cents,
      paid_at: now,
    });
    const [after, appointmentIds] = await Promise.all([applyPayments(tx, plan, today, now), listPlanAppointments(tx, plan)]);
    await Promise.all([
      emit(tx, tx.clinicId, PaymentRecordedSchema, { payment: toPaymentState(payment), paymentPlan: toState(after), appointmentIds }),
      publishPaymentPlanChange(tx, call, after, { action: 'payment.recorded', entityId: id, changes: { receipt_number } }),
    ]);
    return getPaymentPlanDetail(tx, plan.id, today);
  });
}
