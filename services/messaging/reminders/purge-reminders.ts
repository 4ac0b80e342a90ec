// Deletes reminders at night, once no late event of their appointment can be delivered any more (INBOX_DAYS).
import { asSystem } from '@clinic/lib/db/db.ts';
import { INBOX_DAYS } from '@clinic/lib/db/retention.ts';
import { job } from '@clinic/lib/jobs/jobs.ts';
import type { App } from '../app.ts';
import { purgeReminders } from './reminders.sql.ts';

const DAY_MS = 86_400_000;
const BATCH_SIZE = 1_000;

export const purgeRemindersJob = ({ db, clock }: App) =>
  job('purge-reminders', { daily: { at: '04:00' } }, async () => {
    const before = new Date(clock.now().getTime() - INBOX_DAYS * DAY_MS);
    // As the system, because it covers all clinics.
    while ((await asSystem(db, (tx) => purgeReminders(tx, before, BATCH_SIZE))) === BATCH_SIZE);
  });
