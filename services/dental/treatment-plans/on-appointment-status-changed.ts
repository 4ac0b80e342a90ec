// When the status of an appointment changes, the open steps linked to it change their status.
import { audit } from '@clinic/lib/audit/audit.ts';
import { type Delivered, subscribeAll } from '@clinic/lib/events/events.ts';
import { emit } from '@clinic/lib/events/outbox.ts';
import { serviceCaller } from '@clinic/lib/rpc/caller.ts';
import { TreatmentPlanUpdatedSchema } from '@clinic/proto/events/v1/dental_pb.js';
import { type AppointmentStatusChanged, AppointmentStatusChangedSchema } from '@clinic/proto/events/v1/scheduling_pb.js';
import type { App } from '../app.ts';
import { areSeparated } from '../patients/merges.sql.ts';
import { closeFinding } from './close-finding.ts';
import { followAppointment } from './rules/step-status.ts';
import {
  type ClinicAppointmentState,
  type LinkedPlan,
  listLinkedSteps,
  lockLinkedPlans,
  touchLinkedPlan,
  updateLinkedStep,
  upsertAppointmentStates,
} from './sql/linked-appointments.sql.ts';
import { toState } from './sql/treatment-plans.sql.ts';

export const onAppointmentStatusChanged = (app: Pick<App, 'clock'>) =>
  subscribeAll(
    'steps-of-visits',
    'scheduling',
    AppointmentStatusChangedSchema,
    async (tx, events) => {
      const changed = await upsertAppointmentStates(tx, events.flatMap(stateOf));
      const plans = changed.length > 0 ? await lockLinkedPlans(tx, changed) : [];
      if (plans.length === 0) return;
      const now = app.clock.now();
      const touched = new Set<LinkedPlan>();
      for (const step of await listLinkedSteps(tx, changed)) {
        const isOfStep = ({ clinic_id, appointment_id }: { clinic_id: string; appointment_id: string }) =>
          clinic_id === step.clinic_id && appointment_id === step.appointment_id;
        const state = changed.find(isOfStep) as ClinicAppointmentState;
        const after = followAppointment(step, state.status);
        if (after.status === step.status && after.completed_by_visit === step.completed_by_visit) continue;
        // Steps are linked under the lock of the appointment's state, which this transaction holds, so that their plans are locked too.
        const plan = plans.find(({ clinic_id, id }) => clinic_id === step.clinic_id && id === step.treatment_plan_id) as LinkedPlan;
        const event = events.find((one) => stateOf(one).some((given) => isOfStep(given) && given.revision === state.revision));
        // The step may have been linked while a merge was in effect that was undone since.
        if (await areSeparated(tx, step.clinic_id, plan.patient_id, event?.event.appointment?.patientId ?? plan.patient_id)) continue;
        touched.add(plan);
        const caller = serviceCaller('dental', event?.envelope.id ?? '');
        const closing_entry_id = await closeFinding(tx, step.clinic_id, caller, plan.patient_id, step, after.status, now);
        await updateLinkedStep(tx, { ...step, ...after, closing_entry_id }, now);
        const changes = { status: { from: step.status, to: after.status } };
        await audit(tx, step.clinic_id, caller, { action: 'treatment_step.appointment_followed', entityId: step.id, changes });
      }
      for (const plan of touched) {
        await touchLinkedPlan(tx, plan, now);
        await emit(tx, plan.clinic_id, TreatmentPlanUpdatedSchema, toState({ ...plan, revision: plan.revision + 1 }));
      }
    },
    { isRepeatable: () => true },
  );

/** Empty for an event without an appointment. */
function stateOf({ event: { appointment }, envelope }: Delivered<AppointmentStatusChanged>): ClinicAppointmentState[] {
  if (!appointment) return [];
  return [{ clinic_id: envelope.clinicId, appointment_id: appointment.appointmentId, status: appointment.status, revision: appointment.revision }];
}
