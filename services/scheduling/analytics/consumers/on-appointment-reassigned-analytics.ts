// A visit is another patient's, after a merge or its undoing.
import { subscribe } from '@clinic/lib/events/events.ts';
import { AppointmentReassignedSchema } from '@clinic/proto/events/v1/scheduling_pb.js';
import { countVisits } from '../count-visits.ts';

export const onAppointmentReassignedAnalytics = subscribe(
  'analytics-of-merges',
  'scheduling',
  AppointmentReassignedSchema,
  async (tx, { appointment, previousPatientId }, { clinicId }) => {
    if (appointment) await countVisits(tx, clinicId, { days: [], patientIds: [appointment.patientId, previousPatientId], appointmentIds: [] });
  },
);
