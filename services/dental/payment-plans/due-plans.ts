// Hourly jobs on payment plans, by the date in the clinic's time zone. Each batch is one transaction, so a killed run repeats at most one batch.
import { asSystem, type SystemTx } from '@clinic/lib/db/db.ts';
import { emit } from '@clinic/lib/events/outbox.ts';
import { dateIn } from '@clinic/lib/formats/local-date.ts';
import { job } from '@clinic/lib/jobs/jobs.ts';
import { PaymentPlanUpdatedSchema, PaymentReminderDueSchema } from '@clinic/proto/events/v1/dental_pb.js';
import { DateTime } from 'luxon';
import type { App } from '../app.ts';
import { listZones } from '../clinics/clinic-zones.sql.ts';
import { markOverdue, markReminded } from './due-plans.sql.ts';
import { toState } from './payment-plans.sql.ts';

const BATCH = 500;
const FIRST_HOUR = 9;

export const markOverduePlansJob = (app: App) => job('mark-overdue-plans', { cron: '0 * * * *' }, () => markOverduePlans(app));
export const remindOfPaymentsJob = (app: App) => job('remind-of-payments', { cron: '5 * * * *' }, () => remindOfPayments(app));

/**
 * Active plans with an unpaid instalment past its due date become overdue, and the change is published. Queries do not depend on this job: they
 * compare the due date with the current date.
 */
export function markOverduePlans(app: Pick<App, 'db' | 'clock'>): Promise<void> {
  return inEachZone(app, 0, async (tx, zone, today, now) => {
    const plans = await markOverdue(tx, zone, today, BATCH, now);
    await Promise.all(plans.map((plan) => emit(tx, plan.clinic_id, PaymentPlanUpdatedSchema, { paymentPlan: toState(plan) })));
    return plans.length;
  });
}

/**
 * Publishes PaymentReminderDue once a month for each plan, on its reminder day, from 09:00. A reminder that was missed, because the job did not
 * run, is published late, but only the last one of a plan.
 */
export function remindOfPayments(app: Pick<App, 'db' | 'clock'>): Promise<void> {
  return inEachZone(app, FIRST_HOUR, async (tx, zone, today, now) => {
    const plans = await markReminded(tx, zone, today, BATCH, now);
    await Promise.all(plans.map((plan) => emit(tx, plan.clinic_id, PaymentReminderDueSchema, { paymentPlan: toState(plan), month: plan.month })));
    return plans.length;
  });
}

type MarkBatch = (tx: SystemTx, zone: string, today: string, now: Date) => Promise<number>;

/** In zones where it is `hour` or later, until there are fewer plans than a batch has. As the system: over all clinics of a time zone. */
async function inEachZone({ db, clock }: Pick<App, 'db' | 'clock'>, hour: number, mark: MarkBatch): Promise<void> {
  const now = clock.now();
  for (const zone of await listZones(db)) {
    if (DateTime.fromJSDate(now, { zone }).hour < hour) continue;
    while ((await asSystem(db, (tx) => mark(tx, zone, dateIn(zone, now), now))) === BATCH);
  }
}
