// The projection of clinics' time zones and cancellation policies, which zone-changes updates; local days; and the current state of a clinic for pages and
// mails.
import type { Module } from '@clinic/lib/runtime/module.ts';
import type { App } from '../app.ts';

export const clinics: Module<App> = { personal: [{ table: 'clinics' }] };
