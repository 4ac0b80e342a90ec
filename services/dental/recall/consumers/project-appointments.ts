// Stores past and future appointments of patients, and the bookings that followed an answer to a recall message.
import type { SystemTx } from '@clinic/lib/db/db.ts';
import { subscribe } from '@clinic/lib/events/events.ts';
import {
  AppointmentBookedSchema,
  AppointmentReassignedSchema,
  AppointmentRescheduledSchema,
  type AppointmentState,
  AppointmentStatusChangedSchema,
  AppointmentsUpdatedSchema,
} from '@clinic/proto/events/v1/scheduling_pb.js';
import type { App } from '../../app.ts';
import { storeBooking } from '../sql/recall-contacts.sql.ts';
import { upsertAppointments } from '../sql/recall-projection.sql.ts';

type Event = { appointment?: AppointmentState | undefined };

const project =
  (app: App) =>
  async (tx: SystemTx, { appointment }: Event, { clinicId }: { clinicId: string }): Promise<void> => {
    if (!appointment) return;
    await upsertAppointments(tx, [clinicId], [appointment]);
    await storeBooking(tx, clinicId, appointment.patientId, app.clock.now());
  };

export const onAppointmentBooked = (app: App) => subscribe('recall-appointment-booked', 'scheduling', AppointmentBookedSchema, project(app));
export const onAppointmentStatusChanged = (app: App) =>
  subscribe('recall-appointment-status-changed', 'scheduling', AppointmentStatusChangedSchema, project(app));
export const onAppointmentReassigned = (app: App) => subscribe('recall-appointment-reassigned', 'scheduling', AppointmentReassignedSchema, project(app));
export const onAppointmentRescheduled = (app: App) => subscribe('recall-appointment-rescheduled', 'scheduling', AppointmentRescheduledSchema, project(app));
export const onAppointmentsUpdated = () =>
  subscribe('recall-appointments-updated', 'scheduling', AppointmentsUpdatedSchema, (tx, { appointments }, { clinicId }) =>
    upsertAppointments(
      tx,
      appointments.map(() => clinicId),
      appointments,
    ),
  );
