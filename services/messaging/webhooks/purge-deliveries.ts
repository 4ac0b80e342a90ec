// Deletes deliveries that ended, after 30 days, every night.
import { asSystem } from '@clinic/lib/db/db.ts';
import { job } from '@clinic/lib/jobs/jobs.ts';
import type { App } from '../app.ts';
import { purgeDeliveries } from './deliveries.sql.ts';

const RETAINED_MS = 30 * 86_400_000;

/** As the system: over all clinics. */
export const purgeDeliveriesJob = ({ db, clock }: Pick<App, 'db' | 'clock'>) =>
  job('purge-webhook-deliveries', { daily: { at: '03:45', timezone: 'America/El_Salvador' } }, async () => {
    const before = new Date(clock.now().getTime() - RETAINED_MS);
    while ((await asSystem(db, (tx) => purgeDeliveries(tx, before))) > 0);
  });
