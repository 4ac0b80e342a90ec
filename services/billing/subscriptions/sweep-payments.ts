// Finishes interrupted work every minute: events whose job was lost or failed, and subscriptions that identity has not applied.
import { job } from '@clinic/lib/jobs/jobs.ts';
import type { App } from '../app.ts';
import { applyToIdentity } from './apply-to-identity.ts';
import { listUnappliedClinics } from './clinic-subscriptions.sql.ts';
import { listUnprocessed } from './payment-events.sql.ts';
import { processEvent } from './process-event.ts';

const BATCH = 500;
const OVERDUE_MS = 60_000;

export const sweepPayments = (app: App) => job('sweep-payments', { cron: '* * * * *', retries: 0 }, () => sweep(app));

/** A failure does not delay the others; the next sweep tries again. */
export async function sweep(app: App): Promise<void> {
  const warn = (error: unknown) => app.log.warn({ err: error }, 'the sweep of payments failed for an event or a clinic; the next sweep tries again');
  const unprocessed = await listUnprocessed(app.db, new Date(app.clock.now().getTime() - OVERDUE_MS), BATCH);
  for (const { id } of unprocessed) await processEvent(app, id).catch(warn);
  const unapplied = await listUnappliedClinics(app.db, BATCH);
  for (const { clinic_id } of unapplied) await applyToIdentity(app, clinic_id).catch(warn);
}
