// A page of the payment plans of the clinic or of one patient. For a patient of another clinic it is empty.
import { parseOneOf } from '@clinic/lib/formats/numbers.ts';
import { parsePage } from '@clinic/lib/formats/page.ts';
import { parseUuid } from '@clinic/lib/formats/uuid.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { ListPaymentPlansRequest } from '@clinic/proto/dental/v1/payment_plan_pb.js';
import type { App } from '../app.ts';
import { remainingId } from '../patients/merges.sql.ts';
import { clinicToday } from './payment-plan-changes.ts';
import { findPaymentPlanPage, toProto } from './payment-plans.sql.ts';
import { PAYMENT_STATUSES } from './payment-status-rules.ts';

export async function listPaymentPlans(app: App, request: ListPaymentPlansRequest, call: Call) {
  const { id } = clinicOf(call);
  const today = clinicToday(app, call);
  const { page, limit, offset } = parsePage(request, 500, 500);
  const { patientId, status } = request;
  const filter = {
    patientId: patientId === undefined ? undefined : await remainingId(app.db, id, parseUuid('patient_id', patientId)),
    status: status === undefined ? undefined : parseOneOf('status', status, PAYMENT_STATUSES),
  };
  const { rows, total } = await findPaymentPlanPage(app.db, id, today, filter, limit, offset);
  return { plans: rows.map((plan) => toProto(plan, today)), total, page, limit };
}
