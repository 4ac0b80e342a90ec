// How long deliveries are retained. They belong to no clinic, so these jobs run as the system.
import { asSystem } from '@clinic/lib/db/db.ts';
import { inBatches } from '@clinic/lib/db/retention.ts';
import { job } from '@clinic/lib/jobs/jobs.ts';
import type { App } from '../app.ts';
import { purgeEvents, rejectUnproven } from './chat-events.sql.ts';

const DAY_MS = 86_400_000;
/** The provider repeats a delivery for seven days. */
const MAX_WAIT_MS = 7 * DAY_MS;
const RETENTION_MS = 10 * DAY_MS;
/** How long operators can replay an unusable delivery. */
const UNUSABLE_MS = 400 * DAY_MS;

/** Marks deliveries as unusable if their number was not proven within seven days. Operators can replay them. */
export const setAsideDeliveriesJob = (app: App) =>
  job('set-aside-deliveries', { cron: '25 * * * *' }, async () => {
    const count = await asSystem(app.db, (tx) => rejectUnproven(tx, new Date(app.clock.now().getTime() - MAX_WAIT_MS)));
    if (count > 0) app.log.warn({ count }, 'deliveries were marked as unusable: no clinic proved their number within 7 days');
  });

/** Deletes unusable deliveries after 400 days, and after ten days those that an earlier release has processed; this release deletes them immediately. */
export const purgeDeliveriesJob = (app: App) =>
  job('purge-deliveries', { daily: { at: '03:40' } }, async () => {
    const before = new Date(app.clock.now().getTime() - RETENTION_MS);
    const unusableBefore = new Date(app.clock.now().getTime() - UNUSABLE_MS);
    await inBatches(app.db, (tx, size) => purgeEvents(tx, before, unusableBefore, size));
  });
