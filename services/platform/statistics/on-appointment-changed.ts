// Stores date and status of an appointment that was booked or changed. The events may arrive in any order.
import type { SystemTx } from '@clinic/lib/db/db.ts';
import { type Delivered, subscribeAll } from '@clinic/lib/events/events.ts';
import {
  AppointmentBookedSchema,
  AppointmentRescheduledSchema,
  type AppointmentState,
  AppointmentStatusChangedSchema,
} from '@clinic/proto/events/v1/scheduling_pb.js';
import { toSeen, upsertAppointmentsSeen } from './appointments-seen.sql.ts';

async function store(tx: SystemTx, events: Delivered<{ appointment?: AppointmentState | undefined }>[]): Promise<void> {
  const seen = events.flatMap(({ event, envelope }) => (event.appointment ? [toSeen(event.appointment, envelope.clinicId)] : []));
  await upsertAppointmentsSeen(tx, seen);
}

export const onAppointmentBooked = subscribeAll('appointment-booked', 'scheduling', AppointmentBookedSchema, store, { isRepeatable: () => true });
export const onAppointmentStatusChanged = subscribeAll('appointment-status-changed', 'scheduling', AppointmentStatusChangedSchema, store, {
  isRepeatable: () => true,
});
export const onAppointmentRescheduled = subscribeAll('appointment-rescheduled', 'scheduling', AppointmentRescheduledSchema, store, {
  isRepeatable: () => true,
});
