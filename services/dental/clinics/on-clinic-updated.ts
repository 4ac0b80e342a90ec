// Updates the time zone of a clinic.
import { subscribe } from '@clinic/lib/events/events.ts';
import { ClinicUpdatedSchema } from '@clinic/proto/events/v1/identity_pb.js';
import { upsertClinicZone } from './clinic-zones.sql.ts';

export const onClinicUpdated = subscribe('zones-of-updated-clinics', 'identity', ClinicUpdatedSchema, (tx, { timezone, revision }, { clinicId }) =>
  upsertClinicZone(tx, clinicId, timezone, revision),
);
