// The receipt of a payment as a PDF.
import { inTenant } from '@clinic/lib/db/db.ts';
import { fail, found } from '@clinic/lib/errors/errors.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { callAs } from '@clinic/lib/rpc/context.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { GetReceiptRequest } from '@clinic/proto/dental/v1/payment_plan_pb.js';
import type { App } from '../app.ts';
import { getPatientOfRecord } from '../patients/find-patients.ts';
import { findPaymentPlan } from './payment-plans.sql.ts';
import { findPayment } from './payments.sql.ts';
import { drawReceipt } from './receipt.ts';

export async function getReceipt(app: App, request: GetReceiptRequest, call: Call) {
  if (!isUuid(request.id)) fail('NOT_FOUND', 'Payment not found');
  const { id, timezone } = clinicOf(call);
  const [payment, plan] = await inTenant(app.db, id, async (tx) => {
    const payment = found(await findPayment(tx, request.id), 'Payment');
    return [payment, found(await findPaymentPlan(tx, payment.payment_plan_id), 'Payment')] as const;
  });
  const options = callAs(call.caller);
  const [clinic, patient] = await Promise.all([app.clinicProfile.getClinicProfile({}, options), getPatientOfRecord(app, options, plan.patient_id)]);
  return drawReceipt({ clinic, timezone, patient: patient.fullName, concept: plan.description, payment });
}
