// A visit's status changed: reminders of a cancelled one are taken back, and the patient is told of what was done at the desk.
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
    const visit = await planReminders(app, tx, clinicId, id);
    if (byChat || !visit) return;
    const told = { id, revision, changedAt: visit.changedAt };
    if (status === 'cancelled' && isActive(previousStatus)) await notifyAppointmentChange(app, tx, clinicId, told, 'cancelled', timestampDate(startsAt));
    if (isActive(status) && previousStatus === 'cancelled') await notifyAppointmentChange(app, tx, clinicId, told, 'restored', timestampDate(startsAt));
  });
