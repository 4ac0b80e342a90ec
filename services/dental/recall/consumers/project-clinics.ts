// Stores the plan, expiry, status and features of clinics, which decide whether recall runs for them.
import { timestampDate } from '@bufbuild/protobuf/wkt';
import { subscribe } from '@clinic/lib/events/events.ts';
import { ClinicRegisteredSchema, ClinicUpdatedSchema } from '@clinic/proto/events/v1/identity_pb.js';
import { upsertRecallClinic } from '../sql/recall-clinics.sql.ts';

/** A registration is revision 1; revisions of ClinicUpdated begin with 2. */
const FIRST_REVISION = 1;

export const onClinicRegistered = subscribe('recall-clinic-registered', 'identity', ClinicRegisteredSchema, (tx, event, { clinicId }) =>
  upsertRecallClinic(tx, {
    clinic_id: clinicId,
    plan: event.plan,
    subscription_expires_at: event.subscriptionExpiresAt ? timestampDate(event.subscriptionExpiresAt) : null,
    is_active: true,
    dental: true,
    revision: FIRST_REVISION,
  }),
);

export const onClinicUpdated = subscribe('recall-clinic-updated', 'identity', ClinicUpdatedSchema, (tx, event, { clinicId }) =>
  upsertRecallClinic(tx, {
    clinic_id: clinicId,
    plan: event.plan,
    subscription_expires_at: event.subscriptionExpiresAt ? timestampDate(event.subscriptionExpiresAt) : null,
    is_active: event.isActive,
    // Events of early releases do not name features.
    dental: event.features.length === 0 || (event.clinicType === 'dental' && event.features.includes('dental')),
    revision: event.revision,
  }),
);
