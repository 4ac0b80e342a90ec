// Deletes reminders at night, once no late event of their appointment can be delivered any more (INBOX_DAYS).
import { INBOX_DAYS, inBatches } from '@clinic/lib/db/retention.ts';
import { job } from '@clinic/lib/jobs/jobs.ts';
import type { App } from '../app.ts';
import { purgeReminders } from './reminders.sql.ts';

const DAY_MS = 86_400_000;

export const purgeRemindersJob = ({ db, clock }: App) =>
  job('purge-reminders', { daily: { at: '04:00' } }, async () => {
    const before = new Date(clock.now().getTime() - INBOX_DAYS * DAY_MS);
    await inBatches(db, (tx, size) => purgeReminders(tx, before, size));
  });
