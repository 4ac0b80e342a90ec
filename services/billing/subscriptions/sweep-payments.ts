// What is left over: events whose job was lost or has given up, and clinics that identity has not been told of yet.
import { readSystem } from '@clinic/lib/db/db.ts';
import { job } from '@clinic/lib/jobs/jobs.ts';
import type { App } from '../app.ts';
import { tellIdentity } from './apply-to-identity.ts';
import { listUntoldStatement } from './clinic-subscriptions.sql.ts';
import { listUnworkedStatement } from './payment-events.sql.ts';
import { workEvent } from './process-event.ts';

const BATCH = 500;
const OVERDUE_MS = 60_000;

/** Each minute. As the system: over all clinics. */
export const sweepPayments = (app: App) => job('sweep-payments', { cron: '* * * * *', retries: 0 }, () => sweep(app));

/** One that fails does not hold up the others; it is tried again at the next sweep. */
export async function sweep(app: App): Promise<void> {
  const failed = (error: unknown) => app.log.warn({ err: error }, 'the sweep of payments left something over');
  const unworked = await readSystem(app.db, listUnworkedStatement, [new Date(app.clock.now().getTime() - OVERDUE_MS), BATCH]);
  for (const { id } of unworked) await workEvent(app, id).catch(failed);
  const untold = await readSystem(app.db, listUntoldStatement, [BATCH]);
  for (const { clinic_id } of untold) await tellIdentity(app, clinic_id).catch(failed);
}
