// Deliveries for numbers that nobody has proven for seven days, as long as the provider repeats one, are left to the operators.
import { asSystem } from '@clinic/lib/db/db.ts';
import { job } from '@clinic/lib/jobs/jobs.ts';
import type { App } from '../app.ts';
import { rejectUnproven } from './chat-events.sql.ts';

const WAIT_MS = 7 * 86_400_000;

export const setAsideDeliveriesJob = (app: App) =>
  job('set-aside-deliveries', { cron: '25 * * * *' }, async () => {
    // As the system: deliveries belong to no clinic.
    const count = await asSystem(app.db, (tx) => rejectUnproven(tx, new Date(app.clock.now().getTime() - WAIT_MS)));
    if (count > 0) app.log.warn({ count }, 'deliveries whose number was not proven within 7 days are set aside');
  });
