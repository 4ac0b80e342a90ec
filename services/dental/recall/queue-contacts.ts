// Every night at 02:00 in UTC-6, or later that day when that was missed, the active campaigns of each clinic queue messages to eligible patients.
// Each clinic is one transaction, which also records that the clinic is done, so that a killed run continues with the next clinic.
import { asSystem, inTenant } from '@clinic/lib/db/db.ts';
import { DEFAULT_ZONE, dateIn } from '@clinic/lib/formats/local-date.ts';
import { job } from '@clinic/lib/jobs/jobs.ts';
import type { App } from '../app.ts';
import { deleteOldRuns, listClinicsToRun } from './sql/recall-clinics.sql.ts';
import { queueContacts } from './sql/recall-eligible.sql.ts';

export const queueContactsJob = (app: App) =>
  // El Salvador is UTC-6 all year.
  job('queue-recall', { daily: { at: '02:00' }, limitSeconds: 4 * 3_600 }, () => runCampaigns(app));

// With a single worker, one of two cores was idle (measured).
const WORKERS = 2;
const RETAINED_DAYS = 14;

/** Runs the campaigns of all clinics that have not run on the current day in UTC-6. Throws at the end when those of a clinic failed; only they run again. */
export async function runCampaigns(app: Pick<App, 'db' | 'clock' | 'log'>): Promise<void> {
  const now = app.clock.now();
  const today = dateIn(DEFAULT_ZONE, now);
  const clinicIds = await listClinicsToRun(app.db, today, now);
  let [queued, failed] = [0, 0];
  const remaining = clinicIds.values();
  const work = async () => {
    for (const clinicId of remaining) {
      try {
        const added = await inTenant(app.db, clinicId, (tx) => queueContacts(tx, now, today));
        queued += added;
      } catch (error) {
        failed += 1;
        app.log.warn({ err: error, clinicId }, 'recall contacts of a clinic could not be queued');
      }
    }
  };
  await Promise.all(Array.from({ length: WORKERS }, work));
  // As the system: runs of all clinics.
  await asSystem(app.db, (tx) => deleteOldRuns(tx, today, RETAINED_DAYS));
  app.log.info({ clinics: clinicIds.length - failed, queued }, 'queued recall contacts');
  if (failed > 0) throw new Error(`recall contacts of ${failed} clinics could not be queued`);
}
