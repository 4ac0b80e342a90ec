// Stores past and future appointments of patients, and the bookings that followed an answer to a recall message.
import type { SystemTx } from '@clinic/lib/db/db.ts';
import { type Delivered, subscribe, subscribeAll } from '@clinic/lib/events/events.ts';
import {
  AppointmentBookedSchema,
  AppointmentReassignedSchema,
  AppointmentRescheduledSchema,
  type AppointmentState,
  AppointmentStatusChangedSchema,
  AppointmentsUpdatedSchema,
} from '@clinic/proto/events/v1/scheduling_pb.js';
import type { App } from '../../app.ts';
import { lockBookings, storeBookings } from '../sql/recall-contacts.sql.ts';
import { upsertAppointments } from '../sql/recall-projection.sql.ts';

const project =
  (app: App) =>
  async (tx: SystemTx, events: Delivered<{ appointment?: AppointmentState | undefined }>[]): Promise<void> => {
    const appointments = events.flatMap(({ event, envelope: { clinicId } }) => (event.appointment ? [{ ...event.appointment, clinicId }] : []));
    const clinicIds = appointments.map(({ clinicId }) => clinicId);
    const patientIds = appointments.map(({ patientId }) => patientId);
    // Sent together, and executed in this order.
    await Promise.all([
      upsertAppointments(tx, clinicIds, appointments),
      lockBookings(tx, clinicIds, patientIds),
      storeBookings(tx, clinicIds, patientIds, app.clock.now()),
    ]);
  };

const repeatable = { isRepeatable: () => true };
export const onAppointmentBooked = (app: App) => subscribeAll('recall-appointment-booked', 'scheduling', AppointmentBookedSchema, project(app), repeatable);
export const onAppointmentStatusChanged = (app: App) =>
  subscribeAll('recall-appointment-status-changed', 'scheduling', AppointmentStatusChangedSchema, project(app), repeatable);
export const onAppointmentReassigned = (app: App) =>
  subscribeAll('recall-appointment-reassigned', 'scheduling', AppointmentReassignedSchema, project(app), repeatable);
export const onAppointmentRescheduled = (app: App) =>
  subscribeAll('recall-appointment-rescheduled', 'scheduling', AppointmentRescheduledSchema, project(app), repeatable);
export const onAppointmentsUpdated = () =>
  subscribe('recall-appointments-updated', 'scheduling', AppointmentsUpdatedSchema, (tx, { appointments }, { clinicId }) => {
    const clinicIds = appointments.map(() => clinicId);
    return upsertAppointments(tx, clinicIds, appointments);
  });
