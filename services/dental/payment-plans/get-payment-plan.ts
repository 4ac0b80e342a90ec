// One payment plan with its payments and instalments.
import { inTenant } from '@clinic/lib/db/db.ts';
import { fail } from '@clinic/lib/errors/errors.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { GetPaymentPlanRequest } from '@clinic/proto/dental/v1/payment_plan_pb.js';
import type { App } from '../app.ts';
import { clinicToday, getPaymentPlanDetail } from './payment-plan-changes.ts';

export async function getPaymentPlan(app: App, request: GetPaymentPlanRequest, call: Call) {
  if (!isUuid(request.id)) fail('NOT_FOUND', 'Payment plan not found');
  return inTenant(app.db, clinicOf(call).id, (tx) => getPaymentPlanDetail(tx, request.id, clinicToday(app, call)));
}
