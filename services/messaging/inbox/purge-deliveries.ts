// Deletes processed deliveries after ten days. The provider repeats a delivery for seven days at most.
import { asSystem } from '@clinic/lib/db/db.ts';
import { job } from '@clinic/lib/jobs/jobs.ts';
import type { App } from '../app.ts';
import { purgeEvents } from './chat-events.sql.ts';

const RETENTION_MS = 10 * 86_400_000;
const BATCH_SIZE = 1_000;

export const purgeDeliveriesJob = (app: App) =>
  job('purge-deliveries', { cron: '40 3 * * *', timezone: 'America/El_Salvador' }, async () => {
    const before = new Date(app.clock.now().getTime() - RETENTION_MS);
    // As the system: deliveries belong to no clinic.
    while ((await asSystem(app.db, (tx) => purgeEvents(tx, before, BATCH_SIZE))) === BATCH_SIZE);
  });
