// Adds a step at the end of an option. The plan's lock keeps the numbers without gaps.

import { fail, found } from '@clinic/lib/errors/errors.ts';
import { parseText } from '@clinic/lib/formats/text.ts';
import { isUuid, parseUuid } from '@clinic/lib/formats/uuid.ts';
import { idempotent } from '@clinic/lib/rpc/idempotency.ts';
import type { Call } from '@clinic/lib/rpc/pipeline.ts';
import { type AddTreatmentStepRequest, TreatmentPlanService } from '@clinic/proto/dental/v1/treatment_plan_pb.js';
import { v7 } from 'uuid';
import type { App } from '../../app.ts';
import { checkCents } from '../../prices/check-cents.ts';
import { checkNotes, tellPlan } from '../plan-changes.ts';
import { afterVisit } from '../rules/step-status.ts';
import { findOption } from '../sql/treatment-options.sql.ts';
import { lockPlan, touchPlan } from '../sql/treatment-plans.sql.ts';
import { insertStep, toProto } from '../sql/treatment-steps.sql.ts';
import { checkSamePatient, lockFoundVisit, visitOf } from '../visit-of.ts';

export async function addTreatmentStep(app: App, request: AddTreatmentStepRequest, call: Call) {
  if (!isUuid(request.id)) fail('NOT_FOUND', 'Treatment plan not found');
  const fields = {
    procedure: parseText('procedure', request.procedure, 200),
    estimated_cost_cents: request.estimatedCost === undefined ? null : checkCents('estimated_cost', request.estimatedCost),
    notes: checkNotes(request.notes),
  };
  const wantedOption = request.optionId ? parseUuid('option_id', request.optionId) : null;
  const appointment = request.appointmentId ? await visitOf(app, call, parseUuid('appointment_id', request.appointmentId)) : undefined;
  return idempotent(app.db, call, TreatmentPlanService.method.addTreatmentStep, request, async (tx) => {
    const visit = appointment && (await lockFoundVisit(tx, appointment));
    const { id } = found(await lockPlan(tx, request.id), 'Treatment plan');
    const [now, option, plan] = [app.clock.now(), await findOption(tx, id, wantedOption), await touchPlan(tx, id, app.clock.now())];
    checkSamePatient(visit, plan);
    const open = { status: 'pending', completed_by_visit: false } as const;
    const step = await insertStep(
      tx,
      {
        id: v7(),
        treatment_plan_id: id,
        option_id: found(option, 'Treatment option').id,
        procedure_code: null,
        tooth: null,
        surfaces: [],
        appointment_id: visit?.appointment_id ?? null,
        ...fields,
        ...(visit ? afterVisit(open, visit.status) : open),
      },
      now,
    );
    await tellPlan(tx, call, plan, { action: 'create', entity: 'treatment_step', entityId: step.id });
    return toProto(step);
  });
}
