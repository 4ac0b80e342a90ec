// Opts the patient of a phone out of recall messages after the provider refused one because the patient has stopped such messages there.
import { readTenant, sql } from '@clinic/lib/db/db.ts';
import { job } from '@clinic/lib/jobs/jobs.ts';
import { ifFound } from '@clinic/lib/rpc/reasons.ts';
import type { App } from '../app.ts';
import { RECORD_OPT_OUT } from './outbound.sql.ts';

const phoneStatement = sql<{ phone: string | null }>('select phone from outbound where clinic_id = $1 and id = $2');

/** `id`: the refused message. */
export const recordOptOutJob = (app: App) =>
  job<{ clinicId: string; id: string }>(RECORD_OPT_OUT, {}, async ({ clinicId, id }) => {
    const [message] = await readTenant(app.db, clinicId, phoneStatement, [clinicId, id]);
    if (message?.phone) await ifFound(app.scheduling.lookup.setRecallOptOut({ phone: message.phone }, await app.clinics.callOptions(clinicId)));
  });
