// Each night the plans whose instalment day has passed unpaid become overdue, and others hear of it. Reads need not wait
// for the night: they look at the day themselves.
import { asSystem, readSystem } from '@clinic/lib/db/db.ts';
import { emit } from '@clinic/lib/events/outbox.ts';
import { dateIn } from '@clinic/lib/formats/local-days.ts';
import { job } from '@clinic/lib/jobs/jobs.ts';
import { PaymentPlanUpdatedSchema } from '@clinic/proto/events/v1/dental_pb.js';
import type { App } from '../app.ts';
import { listZonesStatement } from '../clinics/clinic-zones.sql.ts';
import { markOverdue } from './due-plans.sql.ts';
import { toState } from './payment-plans.sql.ts';

const BATCH = 500;

/** At two in the night of El Salvador. A clinic elsewhere is looked at by its own date. */
export const markOverduePlansJob = (app: App) => job('mark-overdue-plans', { cron: '0 2 * * *', timezone: 'America/El_Salvador' }, () => markOverduePlans(app));

/** Batches are transactions of their own: what a killed run has done stays done. */
export async function markOverduePlans(app: Pick<App, 'db' | 'clock'>): Promise<void> {
  const now = app.clock.now();
  for (const { timezone } of await readSystem(app.db, listZonesStatement, [])) {
    while ((await markBatch(app, timezone, dateIn(timezone, now), now)) === BATCH);
  }
}

function markBatch(app: Pick<App, 'db'>, zone: string, today: string, now: Date): Promise<number> {
  // As the system, since the night comes over all clinics.
  return asSystem(app.db, async (tx) => {
    const plans = await markOverdue(tx, zone, today, BATCH, now);
    await Promise.all(plans.map((plan) => emit(tx, plan.clinic_id, PaymentPlanUpdatedSchema, { paymentPlan: toState(plan) })));
    return plans.length;
  });
}
