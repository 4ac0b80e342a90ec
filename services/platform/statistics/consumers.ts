// Stores the states of clinics, appointments and orders for the statistics. Events may repeat and arrive in any order.
import type { SystemTx } from '@clinic/lib/db/db.ts';
import { type Delivered, subscribe, subscribeAll } from '@clinic/lib/events/events.ts';
import { toDate } from '@clinic/lib/formats/timestamp.ts';
import { OrderChangedSchema } from '@clinic/proto/events/v1/billing_pb.js';
import { ClinicRegisteredSchema, ClinicUpdatedSchema } from '@clinic/proto/events/v1/identity_pb.js';
import {
  AppointmentBookedSchema,
  AppointmentRescheduledSchema,
  type AppointmentState,
  AppointmentStatusChangedSchema,
} from '@clinic/proto/events/v1/scheduling_pb.js';
import { markInviteCodeUsed } from '../invite-codes/invite-codes.sql.ts';
import { upsertAppointmentsSeen } from './appointments-seen.sql.ts';
import { upsertClinicSeen } from './clinics-seen.sql.ts';
import { upsertOrderSeen } from './orders-seen.sql.ts';

/** The revision of a new clinic. ClinicUpdated carries the later ones. */
const FIRST_REVISION = 1;

/** Also marks the clinic's invite code as used, in case identity's call of RedeemInviteCode was lost. */
export const onClinicRegistered = subscribe('clinic-registered', 'identity', ClinicRegisteredSchema, async (tx, event, { clinicId }) => {
  await upsertClinicSeen(tx, clinicId, { ...event, isActive: true, revision: FIRST_REVISION });
  const registeredAt = toDate(event.registeredAt);
  if (registeredAt) await markInviteCodeUsed(tx, event.inviteCodeId, clinicId, registeredAt);
});

export const onClinicUpdated = subscribe('clinic-updated', 'identity', ClinicUpdatedSchema, (tx, event, { clinicId }) => upsertClinicSeen(tx, clinicId, event));

async function store(tx: SystemTx, events: Delivered<{ appointment?: AppointmentState | undefined }>[]): Promise<void> {
  const seen = events.flatMap(({ event: { appointment }, envelope: { clinicId } }) => (appointment ? [{ appointment, clinicId }] : []));
  const clinicIds = seen.map(({ clinicId }) => clinicId);
  const appointments = seen.map(({ appointment }) => appointment);
  await upsertAppointmentsSeen(tx, clinicIds, appointments);
}

const repeatable = { isRepeatable: () => true };
export const onAppointmentBooked = subscribeAll('appointment-booked', 'scheduling', AppointmentBookedSchema, store, repeatable);
export const onAppointmentStatusChanged = subscribeAll('appointment-status-changed', 'scheduling', AppointmentStatusChangedSchema, store, repeatable);
export const onAppointmentRescheduled = subscribeAll('appointment-rescheduled', 'scheduling', AppointmentRescheduledSchema, store, repeatable);

export const onOrderChanged = subscribe('order-changed', 'billing', OrderChangedSchema, (tx, order, { clinicId }) => upsertOrderSeen(tx, clinicId, order));
