// Nightly jobs: deletes old usage, and measures the pictures that identity stores.
import { asSystem } from '@clinic/lib/db/db.ts';
import { type Job, job } from '@clinic/lib/jobs/jobs.ts';
import { storageJob } from '@clinic/lib/usage/storage.ts';
import type { App } from '../app.ts';
import { dayOf } from './period-rules.ts';
import { purgeUsage, setStorage } from './usage.sql.ts';

const RETAINED_DAYS = 800;

/** As the system: over all clinics. */
export const usageJobs = ({ db, clock }: Pick<App, 'db' | 'clock'>): Job[] => [
  job('purge-usage', { cron: '40 9 * * *' }, () => asSystem(db, (tx) => purgeUsage(tx, dayOf(clock.now(), RETAINED_DAYS), clock.now()))),
  storageJob(db, ['pictures.content'], (stored) => asSystem(db, (tx) => setStorage(tx, 'identity', stored, clock.now()))),
];
