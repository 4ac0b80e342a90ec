// Adds a booked appointment to the projection.
import { subscribe } from '@clinic/lib/events/events.ts';
import { AppointmentBookedSchema } from '@clinic/proto/events/v1/scheduling_pb.js';
import { toSeen, upsertAppointmentSeen } from './appointments-seen.sql.ts';

export const onAppointmentBooked = subscribe('appointment-booked', 'scheduling', AppointmentBookedSchema, async (tx, { appointment }, { clinicId }) => {
  if (appointment) await upsertAppointmentSeen(tx, toSeen(appointment, clinicId));
});
