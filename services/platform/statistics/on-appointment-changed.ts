// Stores date and status of an appointment that was booked or changed. The events may arrive in any order.
import type { SystemTx } from '@clinic/lib/db/db.ts';
import { subscribe } from '@clinic/lib/events/events.ts';
import {
  AppointmentBookedSchema,
  AppointmentRescheduledSchema,
  type AppointmentState,
  AppointmentStatusChangedSchema,
} from '@clinic/proto/events/v1/scheduling_pb.js';
import { toSeen, upsertAppointmentSeen } from './appointments-seen.sql.ts';

async function store(tx: SystemTx, { appointment }: { appointment?: AppointmentState | undefined }, { clinicId }: { clinicId: string }): Promise<void> {
  if (appointment) await upsertAppointmentSeen(tx, toSeen(appointment, clinicId));
}

export const onAppointmentBooked = subscribe('appointment-booked', 'scheduling', AppointmentBookedSchema, store);
export const onAppointmentStatusChanged = subscribe('appointment-status-changed', 'scheduling', AppointmentStatusChangedSchema, store);
export const onAppointmentRescheduled = subscribe('appointment-rescheduled', 'scheduling', AppointmentRescheduledSchema, store);
