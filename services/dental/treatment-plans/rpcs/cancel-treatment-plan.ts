// Cancels a treatment plan. The plan and its steps remain stored.
import type { Call } from '@clinic/lib/rpc/pipeline.ts';
import type { CancelTreatmentPlanRequest } from '@clinic/proto/dental/v1/treatment_plan_pb.js';
import type { App } from '../../app.ts';
import { changePlan } from '../change-plan.ts';
import { toProto } from '../sql/treatment-plans.sql.ts';

export async function cancelTreatmentPlan(app: App, request: CancelTreatmentPlanRequest, call: Call) {
  return toProto(await changePlan(app, call, request.id, { status: 'cancelled' }));
}
