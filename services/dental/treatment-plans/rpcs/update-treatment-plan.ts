// Changes a treatment plan, or cancels it: the plan and its steps remain stored. Any status may follow any other.
import { isUnchanged, maskChanges } from '@clinic/lib/audit/audit.ts';
import { inTenant } from '@clinic/lib/db/db.ts';
import { fail, found } from '@clinic/lib/errors/errors.ts';
import { parseOneOf } from '@clinic/lib/formats/numbers.ts';
import { parseText } from '@clinic/lib/formats/text.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { CancelTreatmentPlanRequest, UpdateTreatmentPlanRequest } from '@clinic/proto/dental/v1/treatment_plan_pb.js';
import type { App } from '../../app.ts';
import { PERSONAL_FIELDS, parseClearableCents, parseNotes } from '../parse-fields.ts';
import { publishPlanChange } from '../publish-plan.ts';
import { PLAN_STATUSES } from '../rules/step-status.ts';
import { findPlan, lockPlan, type PlanFields, toProto, updatePlan } from '../sql/treatment-plans.sql.ts';

export function updateTreatmentPlan(app: App, request: UpdateTreatmentPlanRequest, call: Call) {
  const { title, status, estimatedTotal, notes } = request;
  return changePlan(app, call, request.id, {
    ...(title !== undefined && { title: parseText('title', title, 200) }),
    ...(status !== undefined && { status: parseOneOf('status', status, PLAN_STATUSES) }),
    ...(estimatedTotal !== undefined && { given_total_cents: parseClearableCents('estimated_total', estimatedTotal) }),
    ...(notes !== undefined && { notes: parseNotes(notes) }),
  });
}

export const cancelTreatmentPlan = (app: App, { id }: CancelTreatmentPlanRequest, call: Call) => changePlan(app, call, id, { status: 'cancelled' });

async function changePlan(app: App, call: Call, id: string, changes: Partial<PlanFields>) {
  if (!isUuid(id)) fail('NOT_FOUND', 'Treatment plan not found');
  return inTenant(app.db, clinicOf(call).id, async (tx) => {
    const before = found(await lockPlan(tx, id), 'Treatment plan');
    const wanted = { ...before, ...changes };
    // The row is read again, because the total of lockPlan() may be old.
    if (isUnchanged(before, wanted)) return toProto(found(await findPlan(tx, id), 'Treatment plan'));
    const after = await updatePlan(tx, id, wanted, app.clock.now());
    await publishPlanChange(tx, call, after, { action: 'treatment_plan.updated', entityId: id, changes: maskChanges(before, after, PERSONAL_FIELDS) });
    return toProto(after);
  });
}
