// Appointments, drafts and offers keep their local times when the clinic's time zone changes.
import { subscribe } from '@clinic/lib/events/events.ts';
import type { Module } from '@clinic/lib/runtime/module.ts';
import { ClinicRegisteredSchema, ClinicUpdatedSchema } from '@clinic/proto/events/v1/identity_pb.js';
import type { App } from '../app.ts';
import { FIRST_REVISION } from '../clinics/clinics.sql.ts';
import { storeZone } from './change-zone.ts';
import { mailTimeConflictsJob } from './mail-time-conflicts.ts';

export const zoneChanges: Module<App> = {
  consumers: ({ clock }) => [
    subscribe('on-clinic-registered', 'identity', ClinicRegisteredSchema, (tx, { timezone }, { clinicId }) =>
      storeZone(tx, clinicId, timezone, FIRST_REVISION, clock.now()),
    ),
    subscribe('on-clinic-updated', 'identity', ClinicUpdatedSchema, (tx, { timezone, revision }, { clinicId }) =>
      storeZone(tx, clinicId, timezone, revision, clock.now()),
    ),
  ],
  jobs: (app) => [mailTimeConflictsJob(app)],
};
