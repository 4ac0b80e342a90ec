// Chooses an option, so that its steps become the steps of the plan, or deletes one with its steps, unless it is the chosen one.
import type { AuditAction } from '@clinic/lib/audit/audit-actions.ts';
import { inTenant, type TenantTx } from '@clinic/lib/db/db.ts';
import { fail, found } from '@clinic/lib/errors/errors.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { ChooseTreatmentOptionRequest, DeleteTreatmentOptionRequest } from '@clinic/proto/dental/v1/treatment_plan_pb.js';
import type { App } from '../../app.ts';
import { getPlanDetail, toDetail } from '../plan-detail.ts';
import { publishPlanChange, totalChange } from '../publish-plan.ts';
import { chooseOption, deleteOption, findOption, type OptionRow } from '../sql/treatment-options.sql.ts';
import { lockPlan, touchPlan } from '../sql/treatment-plans.sql.ts';

export function chooseTreatmentOption(app: App, request: ChooseTreatmentOptionRequest, call: Call) {
  return changeOption(app, call, request, 'treatment_option.chosen', async (tx, option) => {
    if (option.is_chosen) return false;
    await chooseOption(tx, option, null);
    return true;
  });
}

export function deleteTreatmentOption(app: App, request: DeleteTreatmentOptionRequest, call: Call) {
  return changeOption(app, call, request, 'treatment_option.deleted', async (tx, option) => {
    if (option.is_chosen) fail('OPTION_IS_CHOSEN');
    await deleteOption(tx, option.treatment_plan_id, option.id);
    return true;
  });
}

/** False when nothing changes. */
type Change = (tx: TenantTx, option: OptionRow) => Promise<boolean>;

/** Returns the plan after the change of one of its options, under the plan's lock. */
async function changeOption(app: App, call: Call, { id, optionId }: { id: string; optionId: string }, action: AuditAction, change: Change) {
  if (!isUuid(id)) fail('NOT_FOUND', 'Treatment plan not found');
  if (!isUuid(optionId)) fail('NOT_FOUND', 'Treatment option not found');
  return inTenant(app.db, clinicOf(call).id, async (tx) => {
    const { given_total_cents } = found(await lockPlan(tx, id), 'Treatment plan');
    if (await change(tx, found(await findOption(tx, id, optionId), 'Treatment option'))) {
      const plan = await touchPlan(tx, id, app.clock.now());
      await publishPlanChange(tx, call, plan, { action, entityId: optionId, changes: totalChange(given_total_cents, plan) });
    }
    return toDetail(await getPlanDetail(tx, id));
  });
}
