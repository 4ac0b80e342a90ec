// A booking counts on its day.
import { subscribe } from '@clinic/lib/events/events.ts';
import { AppointmentBookedSchema } from '@clinic/proto/events/v1/scheduling_pb.js';
import { countVisits } from '../count-visits.ts';

export const onAppointmentBookedAnalytics = subscribe(
  'analytics-of-bookings',
  'scheduling',
  AppointmentBookedSchema,
  async (tx, { appointment }, { clinicId }) => {
    if (!appointment) return;
    const { appointmentId, appointmentDate, doctorId } = appointment;
    await countVisits(tx, clinicId, { days: [{ date: appointmentDate, doctorId }], appointmentIds: [appointmentId] });
  },
);
