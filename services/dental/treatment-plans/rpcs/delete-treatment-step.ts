// Deletes a step; the steps after it move up by one.
import { inTenant } from '@clinic/lib/db/db.ts';
import { fail, found } from '@clinic/lib/errors/errors.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { DeleteTreatmentStepRequest } from '@clinic/proto/dental/v1/treatment_plan_pb.js';
import type { App } from '../../app.ts';
import { publishPlanChange } from '../publish-plan.ts';
import { lockPlan, touchPlan } from '../sql/treatment-plans.sql.ts';
import { deleteStep, findStep } from '../sql/treatment-steps.sql.ts';

export async function deleteTreatmentStep(app: App, request: DeleteTreatmentStepRequest, call: Call) {
  if (!isUuid(request.id)) fail('NOT_FOUND', 'Treatment step not found');
  return inTenant(app.db, clinicOf(call).id, async (tx) => {
    const planId = found(await findStep(tx, request.id), 'Treatment step').treatment_plan_id;
    await lockPlan(tx, planId);
    const step = found(await findStep(tx, request.id), 'Treatment step'); // read again under the lock
    await deleteStep(tx, step);
    const plan = await touchPlan(tx, planId, app.clock.now());
    const { option_id, step_order } = step;
    await publishPlanChange(tx, call, plan, { action: 'treatment_step.deleted', entityId: step.id, changes: { option_id, step_order } });
    return { ok: true };
  });
}
