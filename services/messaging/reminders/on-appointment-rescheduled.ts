// An appointment was rescheduled: plans its reminders again, and notifies the patient unless the patient did it by chat.
import { timestampDate } from '@bufbuild/protobuf/wkt';
import { subscribe } from '@clinic/lib/events/events.ts';
import { AppointmentRescheduledSchema } from '@clinic/proto/events/v1/scheduling_pb.js';
import type { App } from '../app.ts';
import { notifyAppointmentChange } from './notify-appointment-change.ts';
import { planReminders } from './plan-reminders.ts';

export const onAppointmentRescheduled = (app: App) =>
  subscribe('reminders-rescheduled', 'scheduling', AppointmentRescheduledSchema, async (tx, { appointment, previousStartsAt, byChat }, { clinicId }) => {
    if (!appointment?.startsAt) return;
    const { appointmentId: id, revision, startsAt } = appointment;
    const current = await planReminders(app, tx, clinicId, id);
    if (byChat || !current) return;
    const starts = [timestampDate(startsAt), ...(previousStartsAt ? [timestampDate(previousStartsAt)] : [])].filter((at) => at > app.clock.now());
    const [soonest] = starts.sort((a, b) => a.getTime() - b.getTime());
    if (soonest) await notifyAppointmentChange(app, tx, clinicId, { id, revision, changedAt: current.changedAt }, 'moved', soonest);
  });
