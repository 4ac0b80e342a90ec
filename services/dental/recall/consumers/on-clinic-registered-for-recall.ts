// Recall knows which clinics may write to their patients.
import { timestampDate } from '@bufbuild/protobuf/wkt';
import { subscribe } from '@clinic/lib/events/events.ts';
import { ClinicRegisteredSchema } from '@clinic/proto/events/v1/identity_pb.js';
import { upsertRecallClinic } from '../sql/recall-clinics.sql.ts';

/** The state in which every clinic begins: later ones come with ClinicUpdated. */
const FIRST_REVISION = 1;

export const onClinicRegisteredForRecall = subscribe('recall-clinic-registered', 'identity', ClinicRegisteredSchema, (tx, event, { clinicId }) =>
  upsertRecallClinic(tx, {
    clinic_id: clinicId,
    plan: event.plan,
    subscription_expires_at: event.subscriptionExpiresAt ? timestampDate(event.subscriptionExpiresAt) : null,
    is_active: true,
    revision: FIRST_REVISION,
  }),
);
