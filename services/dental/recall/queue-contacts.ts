// Each night at 02:00 in UTC-6: every clinic's campaigns choose whom they write to. One transaction a clinic, which also notes
// that the clinic is done, so that a run that was killed goes on where it was.
import { asSystem, execute, inTenant, readSystem, sql } from '@clinic/lib/db/db.ts';
import { job } from '@clinic/lib/jobs/jobs.ts';
import type { App } from '../app.ts';
import { recallDay } from './rules/recall-day.ts';
import { listClinicsToRunStatement } from './sql/recall-clinics.sql.ts';
import { queueContacts } from './sql/recall-eligible.sql.ts';

export const queueContactsJob = (app: App) =>
  // El Salvador keeps UTC-6 all year.
  job('queue-recall', { cron: '0 2 * * *', timezone: 'America/El_Salvador', limitSeconds: 4 * 3_600 }, () => runCampaigns(app));

// Measured: one alone leaves half of two cores idle.
const LANES = 2;
const RETAINED_DAYS = 14;
const forgetStatement = sql('delete from recall_runs where day < $1::date - $2::int');

/** Runs what the day of now (UTC-6) has not done yet. */
export async function runCampaigns(app: Pick<App, 'db' | 'clock' | 'log'>): Promise<void> {
  const now = app.clock.now();
  const today = recallDay(now);
  // As the system: over all clinics.
  const clinics = await readSystem(app.db, listClinicsToRunStatement, [today, now]);
  let queued = 0;
  const remaining = clinics.values();
  const lane = async () => {
    for (const { clinic_id } of remaining) {
      const here = await inTenant(app.db, clinic_id, (tx) => queueContacts(tx, now, today));
      queued += here;
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  await asSystem(app.db, (tx) => execute(tx, forgetStatement, [today, RETAINED_DAYS]));
  app.log.info({ clinics: clinics.length, queued }, 'queued recall contacts');
}
