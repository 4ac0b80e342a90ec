// Adds a step at the end of an option. The plan's lock keeps the step numbers without gaps.
import { fail, found } from '@clinic/lib/errors/errors.ts';
import { parseCents } from '@clinic/lib/formats/money.ts';
import { parseText } from '@clinic/lib/formats/text.ts';
import { isUuid, parseUuid } from '@clinic/lib/formats/uuid.ts';
import { idempotent } from '@clinic/lib/rpc/idempotency.ts';
import type { Call } from '@clinic/lib/rpc/pipeline.ts';
import { type AddTreatmentStepRequest, TreatmentPlanService } from '@clinic/proto/dental/v1/treatment_plan_pb.js';
import { v7 } from 'uuid';
import type { App } from '../../app.ts';
import { checkSamePatient, getAppointment, lockAppointment } from '../linked-appointment.ts';
import { parseNotes } from '../parse-fields.ts';
import { publishPlanChange } from '../publish-plan.ts';
import { followAppointment } from '../rules/step-status.ts';
import { findOption } from '../sql/treatment-options.sql.ts';
import { lockPlan, touchPlan } from '../sql/treatment-plans.sql.ts';
import { insertStep, toProto } from '../sql/treatment-steps.sql.ts';

export async function addTreatmentStep(app: App, request: AddTreatmentStepRequest, call: Call) {
  if (!isUuid(request.id)) fail('NOT_FOUND', 'Treatment plan not found');
  const fields = {
    procedure: parseText('procedure', request.procedure, 200),
    estimated_cost_cents: request.estimatedCost === undefined ? null : parseCents('estimated_cost', request.estimatedCost),
    notes: parseNotes(request.notes),
  };
  const wantedOption = request.optionId ? parseUuid('option_id', request.optionId) : null;
  const requested = request.appointmentId ? await getAppointment(app, call, parseUuid('appointment_id', request.appointmentId)) : undefined;
  return idempotent(app.db, call, TreatmentPlanService.method.addTreatmentStep, request, async (tx) => {
    const appointment = requested && (await lockAppointment(tx, requested));
    const { id } = found(await lockPlan(tx, request.id), 'Treatment plan');
    const [now, option, plan] = [app.clock.now(), await findOption(tx, id, wantedOption), await touchPlan(tx, id, app.clock.now())];
    checkSamePatient(appointment, plan);
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
        appointment_id: appointment?.appointment_id ?? null,
        ...fields,
        ...(appointment ? followAppointment(open, appointment.status) : open),
      },
      now,
    );
    await publishPlanChange(tx, call, plan, { action: 'treatment_step.created', entityId: step.id });
    return toProto(step);
  });
}
