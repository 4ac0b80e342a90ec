// The projection of clinics' time zones, and local days.
import type { Module } from '@clinic/lib/runtime/module.ts';
import type { App } from '../app.ts';
import { onClinicRegistered } from './on-clinic-registered.ts';
import { onClinicUpdated } from './on-clinic-updated.ts';

export const clinics: Module<App> = {
  consumers: () => [onClinicRegistered, onClinicUpdated],
  personal: [{ table: 'clinics' }],
};
