// An appointment was booked: plans its reminders.
import { subscribe } from '@clinic/lib/events/events.ts';
import { AppointmentBookedSchema } from '@clinic/proto/events/v1/scheduling_pb.js';
import type { App } from '../app.ts';
import { planReminders } from './plan-reminders.ts';

export const onAppointmentBooked = (app: App) =>
  subscribe('reminders-booked', 'scheduling', AppointmentBookedSchema, async (tx, { appointment }, { clinicId }) => {
    if (appointment) await planReminders(app, tx, clinicId, appointment.appointmentId);
  });
