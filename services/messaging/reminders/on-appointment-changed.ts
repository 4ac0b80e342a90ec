// An appointment was booked, rescheduled or changed its status: plans its reminders, and notifies the patient of a change by the staff.
import { timestampDate } from '@bufbuild/protobuf/wkt';
import { type Consumer, subscribe } from '@clinic/lib/events/events.ts';
import {
  AppointmentBookedSchema,
  AppointmentRescheduledSchema,
  AppointmentStatusChangedSchema,
  AppointmentsUpdatedSchema,
} from '@clinic/proto/events/v1/scheduling_pb.js';
import type { App } from '../app.ts';
import { notifyAppointmentChange } from './notify-appointment-change.ts';
import { isActive, planReminders } from './plan-reminders.ts';

export const onAppointmentChanged = (app: App): Consumer[] => [
  subscribe('reminders-booked', 'scheduling', AppointmentBookedSchema, async (tx, { appointment }, { clinicId }) => {
    if (appointment) await planReminders(app, tx, clinicId, appointment.appointmentId);
  }),
  subscribe('reminders-rescheduled', 'scheduling', AppointmentRescheduledSchema, async (tx, { appointment, previousStartsAt, byChat }, { clinicId }) => {
    if (!appointment?.startsAt) return;
    const { appointmentId: id, revision, startsAt } = appointment;
    const current = await planReminders(app, tx, clinicId, id);
    if (byChat || !current) return;
    const starts = [timestampDate(startsAt), ...(previousStartsAt ? [timestampDate(previousStartsAt)] : [])].filter((at) => at > app.clock.now());
    const [soonest] = starts.sort((a, b) => a.getTime() - b.getTime());
    if (soonest) await notifyAppointmentChange(app, tx, clinicId, { id, revision, changedAt: current.changedAt }, 'moved', soonest);
  }),
  subscribe('reminders-updated', 'scheduling', AppointmentsUpdatedSchema, async (tx, { appointments }, { clinicId }) => {
    for (const { appointmentId } of appointments) await planReminders(app, tx, clinicId, appointmentId);
  }),
  subscribe('reminders-status', 'scheduling', AppointmentStatusChangedSchema, async (tx, { appointment, previousStatus, byChat }, { clinicId }) => {
    if (!appointment?.startsAt) return;
    const { appointmentId: id, revision, status, startsAt } = appointment;
    const current = await planReminders(app, tx, clinicId, id);
    const change =
      status === 'cancelled' && isActive(previousStatus) ? 'cancelled' : isActive(status) && previousStatus === 'cancelled' ? 'restored' : undefined;
    if (byChat || !current || !change) return;
    await notifyAppointmentChange(app, tx, clinicId, { id, revision, changedAt: current.changedAt }, change, timestampDate(startsAt));
  }),
];
