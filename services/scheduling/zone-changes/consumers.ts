// The zone and the policy of a clinic from identity's events.
import type { Clock } from '@clinic/lib/clock/clock.ts';
import { subscribe } from '@clinic/lib/events/events.ts';
import { ClinicRegisteredSchema, ClinicUpdatedSchema } from '@clinic/proto/events/v1/identity_pb.js';
import { FIRST_REVISION } from '../clinics/clinics.sql.ts';
import { storeZone } from './change-zone.ts';

export const zoneConsumers = ({ clock }: { clock: Clock }) => [
  subscribe('on-clinic-registered', 'identity', ClinicRegisteredSchema, (tx, { timezone }, { clinicId }) =>
    storeZone(tx, clinicId, timezone, FIRST_REVISION, clock.now()),
  ),
  subscribe('on-clinic-updated', 'identity', ClinicUpdatedSchema, (tx, clinic, { clinicId }) =>
    storeZone(tx, clinicId, clinic.timezone, clinic.revision, clock.now(), clinic),
  ),
];
