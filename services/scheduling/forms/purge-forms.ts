// Deletes forms that nobody has filled for a long time, at night: their links end, and so do answers without a signature.
import { asSystem } from '@clinic/lib/db/db.ts';
import { job } from '@clinic/lib/jobs/jobs.ts';
import type { App } from '../app.ts';
import { purgeOpenForms } from './forms.sql.ts';

const OPEN_DAYS = 90;
const DAY_MS = 86_400_000;
const BATCH = 1_000;

export const purgeFormsJob = ({ db, clock }: Pick<App, 'db' | 'clock'>) =>
  job('purge-forms', { daily: { at: '03:40', timezone: 'America/El_Salvador' } }, async () => {
    const before = new Date(clock.now().getTime() - OPEN_DAYS * DAY_MS);
    // As the system: forms of all clinics.
    while ((await asSystem(db, (tx) => purgeOpenForms(tx, before, BATCH))) === BATCH);
  });
