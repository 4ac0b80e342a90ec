// Updates plan, expiry, suspension and zone of a clinic.
import { timestampDate } from '@bufbuild/protobuf/wkt';
import { subscribe } from '@clinic/lib/events/events.ts';
import { ClinicUpdatedSchema } from '@clinic/proto/events/v1/identity_pb.js';
import { upsertClinicSeen } from './clinics-seen.sql.ts';

export const onClinicUpdated = subscribe('clinic-updated', 'identity', ClinicUpdatedSchema, (tx, event, { clinicId }) =>
  upsertClinicSeen(tx, {
    clinic_id: clinicId,
    plan: event.plan,
    subscription_expires_at: event.subscriptionExpiresAt ? timestampDate(event.subscriptionExpiresAt) : null,
    is_active: event.isActive,
    timezone: event.timezone,
    registered_at: null,
    revision: event.revision,
  }),
);
