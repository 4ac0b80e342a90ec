// The projection of clinics' time zones, and local days. zone-changes keeps it up to date.
import type { Module } from '@clinic/lib/runtime/module.ts';
import type { App } from '../app.ts';

export const clinics: Module<App> = { personal: [{ table: 'clinics' }] };
