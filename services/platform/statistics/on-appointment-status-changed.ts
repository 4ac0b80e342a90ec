// An appointment's status changed: a cancelled one no longer counts. The event may come before the booking's.
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
