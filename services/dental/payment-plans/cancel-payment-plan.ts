// Cancels a payment plan. The plan and its payments remain stored.
import type { Call } from '@clinic/lib/rpc/pipeline.ts';
import type { CancelPaymentPlanRequest } from '@clinic/proto/dental/v1/payment_plan_pb.js';
import type { App } from '../app.ts';
import { changePaymentPlan, clinicToday } from './payment-plan-changes.ts';
import { toProto } from './payment-plans.sql.ts';

export async function cancelPaymentPlan(app: App, request: CancelPaymentPlanRequest, call: Call) {
  return toProto(await changePaymentPlan(app, call, request.id, {}, 'cancelled'), clinicToday(app, call));
}
