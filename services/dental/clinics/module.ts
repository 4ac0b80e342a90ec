import type { Module } from '@clinic/lib/runtime/module.ts';
import type { App } from '../app.ts';
import { onClinicRegistered, onClinicUpdated } from './consumers.ts';

export const clinics: Module<App> = {
  consumers: () => [onClinicRegistered, onClinicUpdated],
  personal: [{ table: 'clinic_zones' }],
};
