// The status of an appointment changed: cancels or plans its reminders, and notifies the patient unless the patient did it by chat.
import { timestampDate } from '@bufbuild/protobuf/wkt';
import { subscribe } from '@clinic/lib/events/events.ts';
import { AppointmentStatusChangedSchema } from '@clinic/proto/events/v1/scheduling_pb.js';
import type { App } from '../app.ts';
import { notifyAppointmentChange } from './notify-appointment-change.ts';
import { isActive, planReminders } from './plan-reminders.ts';

export const onAppointmentStatusChanged = (app: App) =>
  subscribe('reminders-status', 'scheduling', AppointmentStatusChangedSchema, async (tx, { appointment, previousStatus, byChat }, { clinicId }) => {
    if (!appointment?.startsAt) return;
    const { appointmentId: id, revision, status, startsAt } = appointment;
    const current = await planReminders(app, tx, clinicId, id);
    if (byChat || !current) return;
    const changed = { id, revision, changedAt: current.changedAt };
    if (status === 'cancelled' && isActive(previousStatus)) await notifyAppointmentChange(app, tx, clinicId, changed, 'cancelled', timestampDate(startsAt));
    if (isActive(status) && previousStatus === 'cancelled') await notifyAppointmentChange(app, tx, clinicId, changed, 'restored', timestampDate(startsAt));
  });
