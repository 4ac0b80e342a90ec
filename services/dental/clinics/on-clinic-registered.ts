// Stores the time zone of a new clinic.
import { subscribe } from '@clinic/lib/events/events.ts';
import { ClinicRegisteredSchema } from '@clinic/proto/events/v1/identity_pb.js';
import { upsertClinicZone } from './clinic-zones.sql.ts';

// Revisions of changes begin with 2.
export const onClinicRegistered = subscribe('zones-of-registered-clinics', 'identity', ClinicRegisteredSchema, (tx, { timezone }, { clinicId }) =>
  upsertClinicZone(tx, clinicId, timezone, 1),
);
