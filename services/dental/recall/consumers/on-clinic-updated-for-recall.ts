// Recall knows which clinics may write to their patients.
import { timestampDate } from '@bufbuild/protobuf/wkt';
import { subscribe } from '@clinic/lib/events/events.ts';
import { ClinicUpdatedSchema } from '@clinic/proto/events/v1/identity_pb.js';
import { upsertRecallClinic } from '../sql/recall-clinics.sql.ts';

export const onClinicUpdatedForRecall = subscribe('recall-clinic-updated', 'identity', ClinicUpdatedSchema, (tx, event, { clinicId }) =>
  upsertRecallClinic(tx, {
    clinic_id: clinicId,
    plan: event.plan,
    subscription_expires_at: event.subscriptionExpiresAt ? timestampDate(event.subscriptionExpiresAt) : null,
    is_active: event.isActive,
    revision: event.revision,
  }),
);
