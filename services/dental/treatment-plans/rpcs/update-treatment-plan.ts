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
import { findPlan, lockPlan, type PlanFields, type PlanRow, toProto, updatePlan } from '../sql/treatment-plans.sql.ts';

export function updateTreatmentPlan(app: App, request: UpdateTreatmentPlanRequest, call: Call) {
  const { title, status, estimatedTotal, notes } = request;
  const changes: Partial<PlanFields> = {
    ...(title !== undefined && { title: parseText('title', title, 200) }),
    ...(status !== undefined && { status: parseOneOf('status', status, PLAN_STATUSES) }),
    ...(notes !== undefined && { notes: parseNotes(notes) }),
  };
  return changePlan(app, call, request.id, (plan) => ({
    ...changes,
    ...(estimatedTotal !== undefined && { given_total_cents: parseTotal(estimatedTotal, plan) }),
  }));
}

export const cancelTreatmentPlan = (app: App, { id }: CancelTreatmentPlanRequest, call: Call) => changePlan(app, call, id, () => ({ status: 'cancelled' }));

/** The sum of the steps, in a plan that is sent back, is no total set by a user. A negative total is 0 in public JSON. */
function parseTotal(total: bigint, { given_total_cents, estimated_total_cents }: PlanRow): bigint | null {
  const isShown = total === estimated_total_cents || (total < 0n && estimated_total_cents === 0n);
  return given_total_cents === null && isShown ? null : parseClearableCents('estimated_total', total);
}

async function changePlan(app: App, call: Call, id: string, change: (plan: PlanRow) => Partial<PlanFields>) {
  if (!isUuid(id)) fail('NOT_FOUND', 'Treatment plan not found');
  return inTenant(app.db, clinicOf(call).id, async (tx) => {
    // The row is read again, because the total of lockPlan() may be old.
    const [, current] = await Promise.all([lockPlan(tx, id), findPlan(tx, id)]);
    const before = found(current, 'Treatment plan');
    const wanted = { ...before, ...change(before) };
    if (isUnchanged(before, wanted)) return toProto(before);
    const after = await updatePlan(tx, id, wanted, app.clock.now());
    await publishPlanChange(tx, call, after, { action: 'treatment_plan.updated', entityId: id, changes: maskChanges(before, after, PERSONAL_FIELDS) });
    return toProto(after);
  });
}
