// At night: deletes forms that nobody has filled for a long time, whose links end with them, and queues the PDFs that are not stored.
import { asSystem } from '@clinic/lib/db/db.ts';
import { job } from '@clinic/lib/jobs/jobs.ts';
import type { App } from '../app.ts';
import { purgeOpenForms } from './forms.sql.ts';
import { queueUnstored } from './store-signed-form.ts';

const OPEN_DAYS = 90;
const STORED_AFTER_MS = 3_600_000;
const DAY_MS = 86_400_000;
const BATCH = 1_000;

export const purgeFormsJob = ({ db, clock }: Pick<App, 'db' | 'clock'>) =>
  job('purge-forms', { daily: { at: '03:40', timezone: 'America/El_Salvador' } }, async () => {
    const now = clock.now().getTime();
    const before = new Date(now - OPEN_DAYS * DAY_MS);
    // As the system: forms of all clinics.
    while ((await asSystem(db, (tx) => purgeOpenForms(tx, before, BATCH))) === BATCH);
    await queueUnstored({ db }, new Date(now - STORED_AFTER_MS));
  });
