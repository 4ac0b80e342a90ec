// Stores the zone of a new clinic.
import { subscribe } from '@clinic/lib/events/events.ts';
import { ClinicRegisteredSchema } from '@clinic/proto/events/v1/identity_pb.js';
import { upsertClinic } from './clinics.sql.ts';

const FIRST_REVISION = 1;

export const onClinicRegistered = subscribe('on-clinic-registered', 'identity', ClinicRegisteredSchema, (tx, event, { clinicId }) =>
  upsertClinic(tx, clinicId, event.timezone, FIRST_REVISION),
);
