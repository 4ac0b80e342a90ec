// The clinic on pages and documents that are made without a session.
import { randomUUID } from 'node:crypto';
import { fail } from '@clinic/lib/errors/errors.ts';
import { type Caller, serviceCaller } from '@clinic/lib/rpc/caller.ts';
import { callAs } from '@clinic/lib/rpc/context.ts';
import type { App } from '../app.ts';

/** Scheduling itself, on behalf of a clinic. */
export const asClinic = (clinicId: string): Caller => ({
  ...serviceCaller('scheduling', randomUUID()),
  clinic: { id: clinicId, plan: '', timezone: '', country: '' },
});

export type PageClinic = { name: string; readOnly: boolean };

/** As identity has it now; when identity is unavailable, pages work without its name. `noun`: what is NOT_FOUND while the clinic is suspended. */
export async function findPageClinic(app: App, clinicId: string, noun: string): Promise<PageClinic> {
  const clinic = await app.access.resolveClinic({ clinicId }, callAs(asClinic(clinicId))).catch((error: unknown) => {
    app.log.warn({ err: error }, 'identity did not return the clinic: a page is shown without its name');
    return undefined;
  });
  if (clinic && !clinic.isActive) fail('NOT_FOUND', `${noun} not found`);
  return clinic ?? { name: '', readOnly: false };
}

/** The same for changes. Throws READ_ONLY while changes of the clinic are to wait. */
export async function findPageClinicToChange(app: App, clinicId: string, noun: string): Promise<PageClinic> {
  const clinic = await findPageClinic(app, clinicId, noun);
  if (clinic.readOnly) fail('READ_ONLY');
  return clinic;
}
