// Photos of users and logos of clinics.
import type { Module } from '@clinic/lib/runtime/module.ts';
import type { App } from '../app.ts';

export const pictures: Module<App> = {
  // A clinic refers to its logo, and each picture to its clinic.
  personal: [{ table: 'clinics', withClinic: { logo_id: 'null' } }, { table: 'pictures' }],
};
