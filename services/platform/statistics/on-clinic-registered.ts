// A clinic registered: it counts, and its invite code is used even if identity's own call was lost.
import { timestampDate } from '@bufbuild/protobuf/wkt';
import { subscribe } from '@clinic/lib/events/events.ts';
import { ClinicRegisteredSchema } from '@clinic/proto/events/v1/identity_pb.js';
import { markInviteCodeUsed } from '../invite-codes/invite-codes.sql.ts';
import { upsertClinicSeen } from './clinics-seen.sql.ts';

/** The state in which every clinic begins: later ones come with ClinicUpdated. */
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
