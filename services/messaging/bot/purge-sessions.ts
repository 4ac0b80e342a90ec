// Deletes what the bot remembers of a phone after a long silence. A yearly recall still finds the language of the patient.
import { asSystem } from '@clinic/lib/db/db.ts';
import { job } from '@clinic/lib/jobs/jobs.ts';
import type { App } from '../app.ts';
import { purgeSessions } from './bot-sessions.sql.ts';

const RETENTION_MS = 400 * 86_400_000;
const BATCH_SIZE = 1_000;

export const purgeSessionsJob = (app: App) =>
  job('purge-bot-sessions', { daily: { at: '03:45', timezone: 'America/El_Salvador' } }, async () => {
    const before = new Date(app.clock.now().getTime() - RETENTION_MS);
    // As the system: over all clinics.
    while ((await asSystem(app.db, (tx) => purgeSessions(tx, before, BATCH_SIZE))) === BATCH_SIZE);
  });
