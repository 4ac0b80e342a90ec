// Stores the zone of a clinic after a change.
import { subscribe } from '@clinic/lib/events/events.ts';
import { ClinicUpdatedSchema } from '@clinic/proto/events/v1/identity_pb.js';
import { upsertClinic } from './clinics.sql.ts';

export const onClinicUpdated = subscribe('on-clinic-updated', 'identity', ClinicUpdatedSchema, (tx, event, { clinicId }) =>
  upsertClinic(tx, clinicId, event.timezone, event.revision),
);
