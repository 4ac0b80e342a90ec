// Plans of the clinic or of one patient. A patient of another clinic has none here.

import { readTenant } from '@clinic/lib/db/db.ts';
import { parseOneOf } from '@clinic/lib/formats/numbers.ts';
import { parsePage } from '@clinic/lib/formats/page.ts';
import { parseUuid } from '@clinic/lib/formats/uuid.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { ListPaymentPlansRequest } from '@clinic/proto/dental/v1/payment_plan_pb.js';
import type { App } from '../app.ts';
import { clinicToday } from './payment-plan-changes.ts';
import { listPaymentPlans as list, toProto } from './payment-plans.sql.ts';
import { PAYMENT_STATUSES } from './payment-status-rules.ts';

export async function listPaymentPlans(app: App, request: ListPaymentPlansRequest, call: Call) {
  const { id } = clinicOf(call);
  const today = clinicToday(app, call);
  const { page, limit, offset } = parsePage(request, 500, 500);
  const { patientId, status } = request;
  const filter = {
    patientId: patientId === undefined ? undefined : parseUuid('patient_id', patientId),
    status: status === undefined ? undefined : parseOneOf('status', status, PAYMENT_STATUSES),
  };
  const { statement, values } = list(id, today, filter, limit, offset);
  const plans = await readTenant(app.db, id, statement, values);
  return { plans: plans.filter((plan) => plan.id !== null).map((plan) => toProto(plan, today)), total: plans[0]?.total ?? 0, page, limit };
}
