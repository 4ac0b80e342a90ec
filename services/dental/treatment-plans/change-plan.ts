// Changes of a treatment plan and of its options, under the plan's lock.
import { maskChanges } from '@clinic/lib/audit/audit.ts';
import type { AuditAction } from '@clinic/lib/audit/audit-actions.ts';
import { inTenant, type TenantTx } from '@clinic/lib/db/db.ts';
import { fail, found } from '@clinic/lib/errors/errors.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { App } from '../app.ts';
import { PERSONAL_FIELDS } from './parse-fields.ts';
import { getPlanDetail, type PlanDetail } from './plan-detail.ts';
import { publishPlanChange } from './publish-plan.ts';
import { findOption, type OptionRow } from './sql/treatment-options.sql.ts';
import { lockPlan, type PlanFields, type PlanRow, touchPlan, updatePlan } from './sql/treatment-plans.sql.ts';

/** Returns the plan after the changes. Throws NOT_FOUND with `Treatment plan not found`. */
export async function changePlan(app: App, call: Call, id: string, changes: Partial<PlanFields>): Promise<PlanRow> {
  if (!isUuid(id)) fail('NOT_FOUND', 'Treatment plan not found');
  return inTenant(app.db, clinicOf(call).id, async (tx) => {
    const before = found(await lockPlan(tx, id), 'Treatment plan');
    const after = await updatePlan(tx, id, { ...before, ...changes }, app.clock.now());
    await publishPlanChange(tx, call, after, { action: 'treatment_plan.updated', entityId: id, changes: maskChanges(before, after, PERSONAL_FIELDS) });
    return after;
  });
}

/** Returns the plan after `work` on one of its options. Throws NOT_FOUND when the plan or the option does not exist. */
export async function changeOption(
  app: App,
  call: Call,
  { id, optionId }: { id: string; optionId: string },
  action: AuditAction,
  work: (tx: TenantTx, option: OptionRow) => Promise<void>,
): Promise<PlanDetail> {
  if (!isUuid(id)) fail('NOT_FOUND', 'Treatment plan not found');
  if (!isUuid(optionId)) fail('NOT_FOUND', 'Treatment option not found');
  return inTenant(app.db, clinicOf(call).id, async (tx) => {
    found(await lockPlan(tx, id), 'Treatment plan');
    await work(tx, found(await findOption(tx, id, optionId), 'Treatment option'));
    const plan = await touchPlan(tx, id, app.clock.now());
    await publishPlanChange(tx, call, plan, { action, entityId: optionId });
    return getPlanDetail(tx, id);
  });
}
