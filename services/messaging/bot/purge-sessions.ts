// Deletes the bot's sessions after 400 days without a message: longer than a year, so that a yearly recall still finds the patient's language.
import { inBatches } from '@clinic/lib/db/retention.ts';
import { job } from '@clinic/lib/jobs/jobs.ts';
import type { App } from '../app.ts';
import { purgeSessions } from './bot-sessions.sql.ts';

const RETENTION_MS = 400 * 86_400_000;

export const purgeSessionsJob = (app: App) =>
  job('purge-bot-sessions', { daily: { at: '03:45' } }, async () => {
    const before = new Date(app.clock.now().getTime() - RETENTION_MS);
    await inBatches(app.db, (tx, size) => purgeSessions(tx, before, size));
  });
