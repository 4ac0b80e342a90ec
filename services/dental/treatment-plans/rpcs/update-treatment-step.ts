// Changes a step: its procedure, status, appointment or position.
import { isUnchanged, maskChanges } from '@clinic/lib/audit/audit.ts';
import { inTenant } from '@clinic/lib/db/db.ts';
import { fail, found } from '@clinic/lib/errors/errors.ts';
import { parseInteger, parseOneOf } from '@clinic/lib/formats/numbers.ts';
import { parseText } from '@clinic/lib/formats/text.ts';
import { isUuid, parseUuid } from '@clinic/lib/formats/uuid.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { UpdateTreatmentStepRequest } from '@clinic/proto/dental/v1/treatment_plan_pb.js';
import type { App } from '../../app.ts';
import { closeFinding } from '../close-finding.ts';
import { checkSamePatient, getAppointment, type LinkedAppointment, lockAppointment } from '../linked-appointment.ts';
import { PERSONAL_FIELDS, parseClearableCents, parseNotes } from '../parse-fields.ts';
import { publishPlanChange } from '../publish-plan.ts';
import { followAppointment, STEP_STATUSES, type StepState, unlinkAppointment } from '../rules/step-status.ts';
import { lockPlan, touchPlan } from '../sql/treatment-plans.sql.ts';
import { findStep, moveStep, type StepFields, type StepRow, toProto, updateStep } from '../sql/treatment-steps.sql.ts';

export async function updateTreatmentStep(app: App, request: UpdateTreatmentStepRequest, call: Call) {
  if (!isUuid(request.id)) fail('NOT_FOUND', 'Treatment step not found');
  const changes = parseChanges(request);
  const position = request.stepOrder === undefined ? undefined : parseInteger('step_order', request.stepOrder, 1, 10_000);
  const status = request.status === undefined ? undefined : parseOneOf('status', request.status, STEP_STATUSES);
  const requested = request.appointmentId ? await getAppointment(app, call, parseUuid('appointment_id', request.appointmentId)) : undefined;
  return inTenant(app.db, clinicOf(call).id, async (tx) => {
    const locked = requested && (await lockAppointment(tx, requested));
    const planId = found(await findStep(tx, request.id), 'Treatment step').treatment_plan_id;
    const now = app.clock.now();
    const plan = found(await lockPlan(tx, planId), 'Treatment step');
    const before = found(await findStep(tx, request.id), 'Treatment step'); // read again under the lock
    const appointment = locked?.appointment_id === before.appointment_id ? undefined : locked;
    checkSamePatient(appointment, plan);
    const unlinked = request.appointmentId === '';
    const appointment_id = unlinked ? null : (appointment?.appointment_id ?? before.appointment_id);
    // A step that is sent back as completed remains completed by its appointment.
    const isSame = status === before.status && appointment_id === before.appointment_id;
    const state = status === undefined ? follow(before, appointment, unlinked) : { status, completed_by_visit: isSame && before.completed_by_visit };
    const isMoved = position !== undefined && (await moveStep(tx, before, position));
    const closing_entry_id = await closeFinding(tx, tx.clinicId, call.caller, plan.patient_id, before, state.status, now);
    const wanted = { ...before, ...state, appointment_id, ...changes, closing_entry_id };
    if (!isMoved && isUnchanged(before, wanted)) return toProto(before);
    const after = await updateStep(tx, before.id, wanted, now);
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

/** The state of the step when the request changes its appointment but not its status. */
function follow(step: StepRow, appointment: LinkedAppointment | undefined, unlinked: boolean): StepState {
  if (appointment) return followAppointment(step, appointment.status);
  return unlinked ? unlinkAppointment(step) : { status: step.status, completed_by_visit: step.completed_by_visit };
}
