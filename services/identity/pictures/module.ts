// Photos of users and logos of clinics.
import type { Module } from '@clinic/lib/runtime/module.ts';
import type { App } from '../app.ts';

export const pictures: Module<App> = {
  // The clinic names its logo, and each picture its clinic.
  personal: [{ table: 'clinics', withClinic: { logo_id: 'null' } }, { table: 'pictures' }],
};
