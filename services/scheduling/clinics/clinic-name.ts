// The name of a clinic for a page that has no session.
import { randomUUID } from 'node:crypto';
import { serviceCaller } from '@clinic/lib/rpc/caller.ts';
import { callAs } from '@clinic/lib/rpc/context.ts';
import type { App } from '../app.ts';

/** Empty when identity is unavailable: pages work nevertheless. */
export async function findClinicName(app: App, clinicId: string): Promise<string> {
  const caller = { ...serviceCaller('scheduling', randomUUID()), clinic: { id: clinicId, plan: '', timezone: '', country: '' } };
  try {
    return (await app.profile.getClinicProfile({}, callAs(caller))).name;
  } catch (error) {
    app.log.warn({ err: error }, 'identity did not return the name of the clinic: a page is shown without it');
    return '';
  }
}
