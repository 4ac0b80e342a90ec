// Publishes PaymentReminderDue once a month for each plan, on its reminder day, from 09:00 in the clinic's time zone. A reminder that was
// missed, because the job did not run, is published late, but only the last one of a plan.
import { asSystem } from '@clinic/lib/db/db.ts';
import { emit } from '@clinic/lib/events/outbox.ts';
import { dateIn } from '@clinic/lib/formats/local-date.ts';
import { job } from '@clinic/lib/jobs/jobs.ts';
import { PaymentReminderDueSchema } from '@clinic/proto/events/v1/dental_pb.js';
import { DateTime } from 'luxon';
import type { App } from '../app.ts';
import { listZones } from '../clinics/clinic-zones.sql.ts';
import { markReminded } from './due-plans.sql.ts';
import { toState } from './payment-plans.sql.ts';

const BATCH = 500;
const FIRST_HOUR = 9;

export const remindOfPaymentsJob = (app: App) => job('remind-of-payments', { cron: '5 * * * *' }, () => remindOfPayments(app));

export async function remindOfPayments(app: Pick<App, 'db' | 'clock'>): Promise<void> {
  const now = app.clock.now();
  for (const timezone of await listZones(app.db)) {
    if (DateTime.fromJSDate(now, { zone: timezone }).hour < FIRST_HOUR) continue;
    while ((await remindBatch(app, timezone, dateIn(timezone, now))) === BATCH);
  }
}

function remindBatch(app: Pick<App, 'db'>, zone: string, today: string): Promise<number> {
  // As the system: over all clinics of a time zone.
  return asSystem(app.db, async (tx) => {
    const plans = await markReminded(tx, zone, today, BATCH);
    await Promise.all(plans.map((plan) => emit(tx, plan.clinic_id, PaymentReminderDueSchema, { paymentPlan: toState(plan), month: plan.month })));
    return plans.length;
  });
}
