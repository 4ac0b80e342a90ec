// Sends the admins of a clinic a mail when one of its webhook endpoints was switched off.
import { inTenant } from '@clinic/lib/db/db.ts';
import { job } from '@clinic/lib/jobs/jobs.ts';
import type { App } from '../app.ts';
import { mailAdmins } from '../mail/mail-admins.ts';
import { lockEndpoint } from './endpoints.sql.ts';

export const NOTIFY_DISABLED = 'notify-webhook-disabled';

/** A repeated run sends no second mail: the reference contains the time at which the endpoint was switched off. */
export const notifyDisabledJob = (app: App) =>
  job<{ clinicId: string; endpointId: string }>(NOTIFY_DISABLED, {}, async ({ clinicId, endpointId }) => {
    const endpoint = await inTenant(app.db, clinicId, (tx) => lockEndpoint(tx, endpointId));
    if (!endpoint?.disabled_at) return;
    const parameters = { host: new URL(endpoint.url).host, reason: endpoint.disabled_reason ?? '' };
    await mailAdmins(app, clinicId, 'webhook_disabled', parameters, `${endpointId}/${endpoint.disabled_at.getTime()}`);
  });
