// Tells once each, 7, 3 and 1 days before, that a subscription ends. It stands here because identity holds the truth of expiry.
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { asSystem, readSystem } from '@clinic/lib/db/db.ts';
import { emit } from '@clinic/lib/events/outbox.ts';
import { enqueue, job } from '@clinic/lib/jobs/jobs.ts';
import { SubscriptionExpiringSchema } from '@clinic/proto/events/v1/identity_pb.js';
import type { App } from '../app.ts';
import { FIRST_WARNING_MS, MAIL_EXPIRY, warningDue } from './expiry-warning-rules.ts';
import { insertWarning, pageExpiringStatement, purgeWarnings } from './expiry-warnings.sql.ts';

const BATCH = 500;
const KEPT_MS = 30 * 86_400_000;

/** At 5 past every hour. As the system: over all clinics. */
export const warnOfExpiryJob = (app: App) => job('warn-of-expiry', { cron: '5 * * * *' }, () => warnOfExpiry(app));

export async function warnOfExpiry(app: App): Promise<void> {
  const now = app.clock.now();
  const until = new Date(now.getTime() + FIRST_WARNING_MS);
  for (let after = '00000000-0000-0000-0000-000000000000', size = BATCH; size === BATCH; ) {
    const page = await readSystem(app.db, pageExpiringStatement, [now, until, after, BATCH]);
    for (const { clinic_id, subscription_plan, subscription_expires_at } of page) {
      const daysLeft = warningDue(subscription_expires_at, now);
      if (daysLeft === undefined) continue;
      await asSystem(app.db, async (tx) => {
        if (!(await insertWarning(tx, clinic_id, subscription_expires_at, daysLeft, now))) return;
        await enqueue(tx, MAIL_EXPIRY, { clinicId: clinic_id, daysLeft, expiresAt: subscription_expires_at.toISOString() });
        await emit(tx, clinic_id, SubscriptionExpiringSchema, { daysLeft, plan: subscription_plan, expiresAt: timestampFromDate(subscription_expires_at) });
      });
    }
    size = page.length;
    after = page.at(-1)?.clinic_id ?? after;
  }
  await asSystem(app.db, (tx) => purgeWarnings(tx, new Date(now.getTime() - KEPT_MS)));
}
