// A payment and its patient, for other services. A voided one is found, too.
import { inTenant } from '@clinic/lib/db/db.ts';
import { fail, found } from '@clinic/lib/errors/errors.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { FindPaymentRequest } from '@clinic/proto/dental/v1/lookup_pb.js';
import type { App } from '../app.ts';
import { findPaymentPlan } from './payment-plans.sql.ts';
import { findPayment as find, toProto } from './payments.sql.ts';

export async function findPayment(app: App, { id }: FindPaymentRequest, call: Call) {
  if (!isUuid(id)) fail('NOT_FOUND', 'Payment not found');
  return inTenant(app.db, clinicOf(call).id, async (tx) => {
    const payment = found(await find(tx, id), 'Payment');
    const plan = found(await findPaymentPlan(tx, payment.payment_plan_id), 'Payment plan');
    return { ...toProto(payment), patientId: plan.patient_id };
  });
}
