// Warns 7, 3 and 1 days before a subscription expires, once each: publishes an event, which open browsers show, and mails the admins.
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { asSystem } from '@clinic/lib/db/db.ts';
import { emit } from '@clinic/lib/events/outbox.ts';
import { enqueue, job } from '@clinic/lib/jobs/jobs.ts';
import { SubscriptionExpiringSchema } from '@clinic/proto/events/v1/identity_pb.js';
import { NIL } from 'uuid';
import type { App } from '../app.ts';
import { FIRST_WARNING_MS, MAIL_EXPIRY, warningDue } from './expiry-rules.ts';
import { insertWarning, listExpiring, purgeWarnings } from './expiry-warnings.sql.ts';

const BATCH = 500;
const RETENTION_MS = 30 * 86_400_000;

/** At 5 past every hour. As the system: over all clinics. */
export const warnOfExpiryJob = (app: App) => job('warn-of-expiry', { cron: '5 * * * *' }, () => warnOfExpiry(app));

export async function warnOfExpiry(app: App): Promise<void> {
  const now = app.clock.now();
  const until = new Date(now.getTime() + FIRST_WARNING_MS);
  for (let afterClinicId: string = NIL, size = BATCH; size === BATCH; ) {
    const page = await listExpiring(app.db, { after: now, until }, { afterClinicId, limit: BATCH });
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
    afterClinicId = page.at(-1)?.clinic_id ?? afterClinicId;
  }
  await asSystem(app.db, (tx) => purgeWarnings(tx, new Date(now.getTime() - RETENTION_MS)));
}
