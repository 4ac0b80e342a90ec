// Changes a step: what is done, its status, its visit, its place.
import { maskChanges } from '@clinic/lib/audit/audit.ts';
import { inTenant } from '@clinic/lib/db/db.ts';
import { fail, found } from '@clinic/lib/errors/errors.ts';
import { parseInteger, parseOneOf } from '@clinic/lib/formats/numbers.ts';
import { parseText } from '@clinic/lib/formats/text.ts';
import { isUuid, parseUuid } from '@clinic/lib/formats/uuid.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { UpdateTreatmentStepRequest } from '@clinic/proto/dental/v1/treatment_plan_pb.js';
import type { App } from '../../app.ts';
import { checkSamePatient, getAppointment, type LinkedAppointment, lockAppointment } from '../linked-appointment.ts';
import { PERSONAL_FIELDS, parseClearableCents, parseNotes } from '../parse-fields.ts';
import { publishPlanChange } from '../publish-plan.ts';
import { followAppointment, STEP_STATUSES, type StepState, unlinkAppointment } from '../rules/step-status.ts';
import { lockPlan, touchPlan } from '../sql/treatment-plans.sql.ts';
import { findStep, moveStep, type StepFields, type StepRow, toProto, updateStep } from '../sql/treatment-steps.sql.ts';

export async function updateTreatmentStep(app: App, request: UpdateTreatmentStepRequest, call: Call) {
  if (!isUuid(request.id)) fail('NOT_FOUND', 'Treatment step not found');
  const changes = parseChanges(request);
  const place = request.stepOrder === undefined ? undefined : parseInteger('step_order', request.stepOrder, 1, 10_000);
  const status = request.status === undefined ? undefined : parseOneOf('status', request.status, STEP_STATUSES);
  const appointment = request.appointmentId ? await getAppointment(app, call, parseUuid('appointment_id', request.appointmentId)) : undefined;
  return inTenant(app.db, clinicOf(call).id, async (tx) => {
    const visit = appointment && (await lockAppointment(tx, appointment));
    const planId = found(await findStep(tx, request.id), 'Treatment step').treatment_plan_id;
    const now = app.clock.now();
    checkSamePatient(visit, found(await lockPlan(tx, planId), 'Treatment step'));
    const before = found(await findStep(tx, request.id), 'Treatment step'); // again, as it is under the lock
    const unlinked = request.appointmentId === '';
    const appointment_id = unlinked ? null : (visit?.appointment_id ?? before.appointment_id);
    const state = status === undefined ? follow(before, visit, unlinked) : { status, completed_by_visit: false };
    if (place !== undefined) await moveStep(tx, before, place);
    const after = await updateStep(tx, before.id, { ...before, ...state, appointment_id, ...changes }, now);
    await publishPlanChange(tx, call, await touchPlan(tx, planId, now), {
      action: 'treatment_step.updated',
      entityId: after.id,
      changes: maskChanges(before, after, PERSONAL_FIELDS),
    });
    return toProto(after);
  });
}

function parseChanges({ procedure, estimatedCost, notes }: UpdateTreatmentStepRequest): Partial<StepFields> {
  return {
    ...(procedure !== undefined && { procedure: parseText('procedure', procedure, 200) }),
    ...(estimatedCost !== undefined && { estimated_cost_cents: parseClearableCents('estimated_cost', estimatedCost) }),
    ...(notes !== undefined && { notes: parseNotes(notes) }),
  };
}

/** What the step becomes when only its visit changes. */
function follow(step: StepRow, visit: LinkedAppointment | undefined, unlinked: boolean): StepState {
  if (visit) return followAppointment(step, visit.status);
  return unlinked ? unlinkAppointment(step) : { status: step.status, completed_by_visit: step.completed_by_visit };
}
