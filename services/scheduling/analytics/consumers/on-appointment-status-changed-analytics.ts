// A visit was completed, missed, cancelled or taken up again.
import { subscribe } from '@clinic/lib/events/events.ts';
import { AppointmentStatusChangedSchema } from '@clinic/proto/events/v1/scheduling_pb.js';
import { countVisits } from '../count-visits.ts';

export const onAppointmentStatusChangedAnalytics = subscribe(
  'analytics-of-statuses',
  'scheduling',
  AppointmentStatusChangedSchema,
  async (tx, { appointment, previousStatus }, { clinicId }) => {
    if (!appointment) return;
    const { appointmentId, appointmentDate, doctorId, patientId, status } = appointment;
    const patientIds = [status, previousStatus].includes('completed') ? [patientId] : [];
    await countVisits(tx, clinicId, { days: [{ date: appointmentDate, doctorId }], patientIds, appointmentIds: [appointmentId] });
  },
);
