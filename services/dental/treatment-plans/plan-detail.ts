// A treatment plan with its options and their steps.
import type { MessageInitShape } from '@bufbuild/protobuf';
import type { TenantTx } from '@clinic/lib/db/db.ts';
import { found } from '@clinic/lib/errors/errors.ts';
import type { TreatmentPlanDetailSchema } from '@clinic/proto/dental/v1/treatment_plan_pb.js';
import { listOptions, type OptionRow } from './sql/treatment-options.sql.ts';
import { findPlan, type PlanRow, toProto } from './sql/treatment-plans.sql.ts';
import { listSteps, type StepRow, toProto as stepToProto } from './sql/treatment-steps.sql.ts';

export type PlanDetail = { plan: PlanRow; options: (OptionRow & { steps: StepRow[] })[] };

/** Throws NOT_FOUND unless the clinic has the plan. */
export async function getPlanDetail(tx: TenantTx, id: string): Promise<PlanDetail> {
  const [plan, options, steps] = await Promise.all([findPlan(tx, id), listOptions(tx, id), listSteps(tx, id)]);
  return {
    plan: found(plan, 'Treatment plan'),
    options: options.map((option) => ({ ...option, steps: steps.filter(({ option_id }) => option_id === option.id) })),
  };
}

export const chosenOf = ({ options }: PlanDetail) => options.find(({ is_chosen }) => is_chosen);

export function toDetail(detail: PlanDetail): MessageInitShape<typeof TreatmentPlanDetailSchema> {
  const options = detail.options.map(({ id, name, is_chosen, steps }) => ({
    id,
    name,
    isChosen: is_chosen,
    estimatedTotal: steps.reduce((sum, { status, estimated_cost_cents }) => sum + (status === 'skipped' ? 0n : (estimated_cost_cents ?? 0n)), 0n),
    steps: steps.map(stepToProto),
  }));
  return { ...toProto(detail.plan), steps: (chosenOf(detail)?.steps ?? []).map(stepToProto), options };
}
