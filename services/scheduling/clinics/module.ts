// The projection of clinics' time zones, and local days.
import { subscribe } from '@clinic/lib/events/events.ts';
import type { Module } from '@clinic/lib/runtime/module.ts';
import { ClinicRegisteredSchema, ClinicUpdatedSchema } from '@clinic/proto/events/v1/identity_pb.js';
import type { App } from '../app.ts';
import { FIRST_REVISION, upsertClinic } from './clinics.sql.ts';

export const clinics: Module<App> = {
  consumers: () => [
    subscribe('on-clinic-registered', 'identity', ClinicRegisteredSchema, (tx, { timezone }, { clinicId }) =>
      upsertClinic(tx, clinicId, timezone, FIRST_REVISION),
    ),
    subscribe('on-clinic-updated', 'identity', ClinicUpdatedSchema, (tx, { timezone, revision }, { clinicId }) =>
      upsertClinic(tx, clinicId, timezone, revision),
    ),
  ],
  personal: [{ table: 'clinics' }],
};
