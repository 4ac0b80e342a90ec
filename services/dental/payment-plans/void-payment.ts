// Voids a payment: the balance increases by its amount. Because of the plan's lock, only one of several concurrent voids succeeds.
import { inTenant } from '@clinic/lib/db/db.ts';
import { fail } from '@clinic/lib/errors/errors.ts';
import { emit } from '@clinic/lib/events/outbox.ts';
import { parseText } from '@clinic/lib/formats/text.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { VoidPaymentRequest } from '@clinic/proto/dental/v1/payment_plan_pb.js';
import { PaymentVoidedSchema } from '@clinic/proto/events/v1/dental_pb.js';
import type { App } from '../app.ts';
import { applyPayments, clinicToday, publishPaymentPlanChange, toPaymentState } from './payment-plan-changes.ts';
import { lockPaymentPlan, toState } from './payment-plans.sql.ts';
import { findPayment, voidPayment as markVoid, toProto } from './payments.sql.ts';

const NOT_FOUND = 'Payment not found or already voided';

export async function voidPayment(app: App, request: VoidPaymentRequest, call: Call) {
  const reason = parseText('reason', request.reason, 1000);
  if (!isUuid(request.id)) fail('NOT_FOUND', NOT_FOUND);
  return inTenant(app.db, clinicOf(call).id, async (tx) => {
    const now = app.clock.now();
    const known = (await findPayment(tx, request.id)) ?? fail('NOT_FOUND', NOT_FOUND);
    const plan = (await lockPaymentPlan(tx, known.payment_plan_id)) ?? fail('NOT_FOUND', NOT_FOUND);
    const payment = (await markVoid(tx, known.id, reason, now)) ?? fail('NOT_FOUND', NOT_FOUND);
    const after = await applyPayments(tx, plan, clinicToday(app, call), now);
    await Promise.all([
      emit(tx, tx.clinicId, PaymentVoidedSchema, { payment: toPaymentState(payment), paymentPlan: toState(after) }),
      publishPaymentPlanChange(tx, call, after, { action: 'payment.voided', entityId: payment.id }),
    ]);
    return toProto(payment);
  });
}
