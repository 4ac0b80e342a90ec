// The clinic on pages and documents that are made without a session.
import { randomUUID } from 'node:crypto';
import { type Caller, serviceCaller } from '@clinic/lib/rpc/caller.ts';
import { callAs } from '@clinic/lib/rpc/context.ts';
import type { App } from '../app.ts';

/** Scheduling itself, on behalf of a clinic. */
export const asClinic = (clinicId: string): Caller => ({
  ...serviceCaller('scheduling', randomUUID()),
  clinic: { id: clinicId, plan: '', timezone: '', country: '' },
});

/** Empty when identity is unavailable: pages work nevertheless. */
export async function findClinicName(app: App, clinicId: string): Promise<string> {
  try {
    return (await app.profile.getClinicProfile({}, callAs(asClinic(clinicId)))).name;
  } catch (error) {
    app.log.warn({ err: error }, 'identity did not return the name of the clinic: a page is shown without it');
    return '';
  }
}
