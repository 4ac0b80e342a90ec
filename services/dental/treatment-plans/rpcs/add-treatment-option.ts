// Adds an option, empty or as a copy of another. Copied steps start as pending, without an appointment.
import { fail, found } from '@clinic/lib/errors/errors.ts';
import { parseText } from '@clinic/lib/formats/text.ts';
import { isUuid, parseUuid } from '@clinic/lib/formats/uuid.ts';
import { idempotent } from '@clinic/lib/rpc/idempotency.ts';
import type { Call } from '@clinic/lib/rpc/pipeline.ts';
import { type AddTreatmentOptionRequest, TreatmentPlanService } from '@clinic/proto/dental/v1/treatment_plan_pb.js';
import { v7 } from 'uuid';
import type { App } from '../../app.ts';
import { getPlanDetail, toDetail } from '../plan-detail.ts';
import { publishPlanChange } from '../publish-plan.ts';
import { insertOption } from '../sql/treatment-options.sql.ts';
import { lockPlan, touchPlan } from '../sql/treatment-plans.sql.ts';
import { insertStep } from '../sql/treatment-steps.sql.ts';

export async function addTreatmentOption(app: App, request: AddTreatmentOptionRequest, call: Call) {
  if (!isUuid(request.id)) fail('NOT_FOUND', 'Treatment plan not found');
  const name = parseText('name', request.name, 100);
  const source = request.copyFrom ? parseUuid('copy_from', request.copyFrom) : undefined;
  return idempotent(app.db, call, TreatmentPlanService.method.addTreatmentOption, request, async (tx) => {
    const { id } = found(await lockPlan(tx, request.id), 'Treatment plan');
    const { options } = await getPlanDetail(tx, id);
    const copied = options.find((one) => one.id === source);
    const steps = source === undefined ? [] : found(copied, 'Treatment option').steps;
    const [optionId, now] = [v7(), app.clock.now()];
    const reset = { option_id: optionId, status: 'pending', appointment_id: null, completed_by_visit: false } as const;
    const [plan] = await Promise.all([
      touchPlan(tx, id, now),
      insertOption(tx, { id: optionId, treatment_plan_id: id, name, is_chosen: false }, now),
      ...steps.map((step) => insertStep(tx, { ...step, ...reset, id: v7() }, now)),
    ]);
    await publishPlanChange(tx, call, plan, { action: 'treatment_option.created', entityId: optionId });
    return toDetail(await getPlanDetail(tx, id));
  });
}
