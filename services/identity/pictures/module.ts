// Photos of users and logos of clinics.
import type { Module } from '@clinic/lib/runtime/module.ts';
import type { App } from '../app.ts';

export const pictures: Module<App> = {
  // The clinic's reference to its logo is removed first: it refers to a picture, and pictures refer to the clinic.
  personal: [{ table: 'clinics', withClinic: { logo_id: 'null' } }, { table: 'pictures' }],
};
