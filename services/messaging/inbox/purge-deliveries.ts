// Deliveries whose messages are in their threads are of use to nobody after ten days: the provider repeats one for seven.
import { asSystem } from '@clinic/lib/db/db.ts';
import { job } from '@clinic/lib/jobs/jobs.ts';
import type { App } from '../app.ts';
import { purgeEvents } from './chat-events.sql.ts';

const KEEP_MS = 10 * 86_400_000;
const BATCH = 1_000;

export const purgeDeliveriesJob = (app: App) =>
  job('purge-deliveries', { cron: '40 3 * * *', timezone: 'America/El_Salvador' }, async () => {
    const before = new Date(app.clock.now().getTime() - KEEP_MS);
    // As the system: deliveries belong to no clinic.
    while ((await asSystem(app.db, (tx) => purgeEvents(tx, before, BATCH))) === BATCH);
  });
