// Changes a treatment plan. Any status may follow any other.
import { parseOneOf } from '@clinic/lib/formats/numbers.ts';
import { parseText } from '@clinic/lib/formats/text.ts';
import type { Call } from '@clinic/lib/rpc/pipeline.ts';
import type { UpdateTreatmentPlanRequest } from '@clinic/proto/dental/v1/treatment_plan_pb.js';
import type { App } from '../../app.ts';
import { changePlan } from '../change-plan.ts';
import { parseClearableCents, parseNotes } from '../parse-fields.ts';
import { PLAN_STATUSES } from '../rules/step-status.ts';
import { type PlanFields, toProto } from '../sql/treatment-plans.sql.ts';

export async function updateTreatmentPlan(app: App, request: UpdateTreatmentPlanRequest, call: Call) {
  const { title, status, estimatedTotal, notes } = request;
  const changes: Partial<PlanFields> = {
    ...(title !== undefined && { title: parseText('title', title, 200) }),
    ...(status !== undefined && { status: parseOneOf('status', status, PLAN_STATUSES) }),
    ...(estimatedTotal !== undefined && { given_total_cents: parseClearableCents('estimated_total', estimatedTotal) }),
    ...(notes !== undefined && { notes: parseNotes(notes) }),
  };
  return toProto(await changePlan(app, call, request.id, changes));
}
