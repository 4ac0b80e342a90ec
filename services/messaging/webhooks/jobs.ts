// Jobs: the mail about an endpoint that was disabled, and the deletion of old deliveries.
import { inTenant } from '@clinic/lib/db/db.ts';
import { inBatches } from '@clinic/lib/db/retention.ts';
import { job } from '@clinic/lib/jobs/jobs.ts';
import type { App } from '../app.ts';
import { mailAdmins } from '../mail/mail-admins.ts';
import { purgeDeliveries } from './deliveries.sql.ts';
import { lockEndpoint } from './endpoints.sql.ts';

export const NOTIFY_DISABLED = 'notify-webhook-disabled';

/** Mails the admins of the clinic. The reference contains the time at which the endpoint was disabled, so that a repeated run sends no second mail. */
export const notifyDisabledJob = (app: App) =>
  job<{ clinicId: string; endpointId: string }>(NOTIFY_DISABLED, {}, async ({ clinicId, endpointId }) => {
    const endpoint = await inTenant(app.db, clinicId, (tx) => lockEndpoint(tx, endpointId));
    if (!endpoint?.disabled_at) return;
    const parameters = { host: new URL(endpoint.url).host, reason: endpoint.disabled_reason ?? '' };
    await mailAdmins(app, clinicId, 'webhook_disabled', parameters, `${endpointId}/${endpoint.disabled_at.getTime()}`);
  });

const RETAINED_MS = 30 * 86_400_000;

/** Deletes deliveries that are not pending, every night. */
export const purgeDeliveriesJob = ({ db, clock }: Pick<App, 'db' | 'clock'>) =>
  job('purge-webhook-deliveries', { daily: { at: '03:45' } }, async () => {
    const before = new Date(clock.now().getTime() - RETAINED_MS);
    await inBatches(db, (tx, size) => purgeDeliveries(tx, before, size));
  });
