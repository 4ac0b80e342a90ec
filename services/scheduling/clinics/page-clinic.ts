// The clinic of pages and documents that are created without a session.
import { randomUUID } from 'node:crypto';
import { fail, refuseReadOnly } from '@clinic/lib/errors/errors.ts';
import { type Caller, serviceCaller } from '@clinic/lib/rpc/caller.ts';
import { callAs } from '@clinic/lib/rpc/context.ts';
import type { App } from '../app.ts';

/** Scheduling itself, on behalf of a clinic. */
export const asClinic = (clinicId: string): Caller => ({
  ...serviceCaller('scheduling', randomUUID()),
  clinic: { id: clinicId, plan: '', timezone: '', country: '' },
});

export type PageClinic = { name: string; readOnly: boolean };

/** The current state of the clinic; without its name when identity is unavailable. Throws NOT_FOUND, with `noun` in the message, while it is suspended. */
export async function findPageClinic(app: App, clinicId: string, noun: string): Promise<PageClinic> {
  const clinic = await app.access.resolveClinic({ clinicId }, callAs(asClinic(clinicId))).catch((error: unknown) => {
    app.log.warn({ err: error }, 'identity did not return the clinic: a page is shown without its name');
    return undefined;
  });
  if (clinic && !clinic.isActive) fail('NOT_FOUND', `${noun} not found`);
  return clinic ?? { name: '', readOnly: false };
}

/** findPageClinic() for changes. Throws READ_ONLY while the clinic is read-only. */
export async function findPageClinicToChange(app: App, clinicId: string, noun: string): Promise<PageClinic> {
  const clinic = await findPageClinic(app, clinicId, noun);
  refuseReadOnly(clinic);
  return clinic;
}
