// When the status of an appointment changes, the open steps linked to it change their status.
import { audit } from '@clinic/lib/audit/audit.ts';
import { subscribe } from '@clinic/lib/events/events.ts';
import { emit } from '@clinic/lib/events/outbox.ts';
import { serviceCaller } from '@clinic/lib/rpc/caller.ts';
import { TreatmentPlanUpdatedSchema } from '@clinic/proto/events/v1/dental_pb.js';
import { AppointmentStatusChangedSchema } from '@clinic/proto/events/v1/scheduling_pb.js';
import type { App } from '../app.ts';
import { closeFinding } from './close-finding.ts';
import { followAppointment } from './rules/step-status.ts';
import { type LinkedPlan, listLinkedSteps, lockLinkedPlans, touchLinkedPlan, updateLinkedStep, upsertAppointmentState } from './sql/linked-appointments.sql.ts';

export const onAppointmentStatusChanged = (app: Pick<App, 'clock'>) =>
  subscribe('steps-of-visits', 'scheduling', AppointmentStatusChangedSchema, async (tx, { appointment }, { id: eventId, clinicId }) => {
    if (!appointment) return;
    const { appointmentId, status, revision } = appointment;
    if (!(await upsertAppointmentState(tx, clinicId, { appointment_id: appointmentId, status, revision }))) return;
    const plans = await lockLinkedPlans(tx, clinicId, appointmentId);
    const now = app.clock.now();
    const changed = new Set<string>();
    for (const step of await listLinkedSteps(tx, clinicId, appointmentId)) {
      const after = followAppointment(step, status);
      if (after.status === step.status && after.completed_by_visit === step.completed_by_visit) continue;
      // Steps are linked under the lock of the appointment's state, which this transaction holds, so that their plans are locked too.
      const plan = plans.find(({ id }) => id === step.treatment_plan_id) as LinkedPlan;
      changed.add(plan.id);
      const caller = serviceCaller('dental', eventId);
      const closing_entry_id = await closeFinding(tx, clinicId, caller, plan.patient_id, { ...step, ...after }, now);
      await updateLinkedStep(tx, clinicId, { ...step, ...after, closing_entry_id }, now);
      const changes = { status: { from: step.status, to: after.status } };
      await audit(tx, clinicId, caller, { action: 'treatment_step.appointment_followed', entityId: step.id, changes });
    }
    for (const plan of plans.filter(({ id }) => changed.has(id))) {
      await touchLinkedPlan(tx, clinicId, plan.id, now);
      const event = { treatmentPlanId: plan.id, patientId: plan.patient_id, status: plan.status, revision: plan.revision + 1 };
      await emit(tx, clinicId, TreatmentPlanUpdatedSchema, event);
    }
  });
