// Adds a registered clinic to the projection, and marks its invite code as used in case identity's call of RedeemInviteCode was lost.
import { timestampDate } from '@bufbuild/protobuf/wkt';
import { subscribe } from '@clinic/lib/events/events.ts';
import { ClinicRegisteredSchema } from '@clinic/proto/events/v1/identity_pb.js';
import { markInviteCodeUsed } from '../invite-codes/invite-codes.sql.ts';
import { upsertClinicSeen } from './clinics-seen.sql.ts';

/** The revision of a new clinic. ClinicUpdated carries the later ones. */
const FIRST_REVISION = 1;

export const onClinicRegistered = subscribe('clinic-registered', 'identity', ClinicRegisteredSchema, async (tx, event, { clinicId }) => {
  const registeredAt = event.registeredAt ? timestampDate(event.registeredAt) : null;
  await upsertClinicSeen(tx, {
    clinic_id: clinicId,
    plan: event.plan,
    subscription_expires_at: event.subscriptionExpiresAt ? timestampDate(event.subscriptionExpiresAt) : null,
    is_active: true,
    timezone: event.timezone,
    registered_at: registeredAt,
    revision: FIRST_REVISION,
  });
  if (registeredAt) await markInviteCodeUsed(tx, event.inviteCodeId, clinicId, registeredAt);
});
