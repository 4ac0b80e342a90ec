// Stores the time zones of clinics.
import { subscribe } from '@clinic/lib/events/events.ts';
import { ClinicRegisteredSchema, ClinicUpdatedSchema } from '@clinic/proto/events/v1/identity_pb.js';
import { upsertClinicZone } from './clinic-zones.sql.ts';

// Revisions of changes begin with 2.
export const onClinicRegistered = subscribe('zones-of-registered-clinics', 'identity', ClinicRegisteredSchema, (tx, { timezone }, { clinicId }) =>
  upsertClinicZone(tx, clinicId, timezone, 1),
);
export const onClinicUpdated = subscribe('zones-of-updated-clinics', 'identity', ClinicUpdatedSchema, (tx, { timezone, revision }, { clinicId }) =>
  upsertClinicZone(tx, clinicId, timezone, revision),
);
