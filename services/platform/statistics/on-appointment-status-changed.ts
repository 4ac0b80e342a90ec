// Updates the status of an appointment. The event may arrive before AppointmentBooked.
import { subscribe } from '@clinic/lib/events/events.ts';
import { AppointmentStatusChangedSchema } from '@clinic/proto/events/v1/scheduling_pb.js';
import { toSeen, upsertAppointmentSeen } from './appointments-seen.sql.ts';

export const onAppointmentStatusChanged = subscribe(
  'appointment-status-changed',
  'scheduling',
  AppointmentStatusChangedSchema,
  async (tx, { appointment }, { clinicId }) => {
    if (appointment) await upsertAppointmentSeen(tx, toSeen(appointment, clinicId));
  },
);
