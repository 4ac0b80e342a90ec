// Makes deliveries unusable whose number was not proven within seven days, for which the provider repeats a delivery. Operators can replay them.
import { asSystem } from '@clinic/lib/db/db.ts';
import { job } from '@clinic/lib/jobs/jobs.ts';
import type { App } from '../app.ts';
import { rejectUnproven } from './chat-events.sql.ts';

const MAX_WAIT_MS = 7 * 86_400_000;

export const setAsideDeliveriesJob = (app: App) =>
  job('set-aside-deliveries', { cron: '25 * * * *' }, async () => {
    // As the system: deliveries belong to no clinic.
    const count = await asSystem(app.db, (tx) => rejectUnproven(tx, new Date(app.clock.now().getTime() - MAX_WAIT_MS)));
    if (count > 0) app.log.warn({ count }, 'deliveries were made unusable: no clinic has proven their number within 7 days');
  });
