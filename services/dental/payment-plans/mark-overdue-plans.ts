// Every hour, active plans with an unpaid instalment past its due date, in the clinic's time zone, become overdue, and the change is
// published. Queries do not depend on this job: they compare the due date with the current date.
import { asSystem } from '@clinic/lib/db/db.ts';
import { emit } from '@clinic/lib/events/outbox.ts';
import { dateIn } from '@clinic/lib/formats/local-date.ts';
import { job } from '@clinic/lib/jobs/jobs.ts';
import { PaymentPlanUpdatedSchema } from '@clinic/proto/events/v1/dental_pb.js';
import type { App } from '../app.ts';
import { listZones } from '../clinics/clinic-zones.sql.ts';
import { markOverdue } from './due-plans.sql.ts';
import { toState } from './payment-plans.sql.ts';

const BATCH = 500;

export const markOverduePlansJob = (app: App) => job('mark-overdue-plans', { cron: '0 * * * *' }, () => markOverduePlans(app));

/** Each batch is one transaction, so a killed run loses at most one batch. */
export async function markOverduePlans(app: Pick<App, 'db' | 'clock'>): Promise<void> {
  const now = app.clock.now();
  for (const timezone of await listZones(app.db)) {
    while ((await markBatch(app, timezone, dateIn(timezone, now), now)) === BATCH);
  }
}

function markBatch(app: Pick<App, 'db'>, zone: string, today: string, now: Date): Promise<number> {
  // As the system: over all clinics of a time zone.
  return asSystem(app.db, async (tx) => {
    const plans = await markOverdue(tx, zone, today, BATCH, now);
    await Promise.all(plans.map((plan) => emit(tx, plan.clinic_id, PaymentPlanUpdatedSchema, { paymentPlan: toState(plan) })));
    return plans.length;
  });
}
