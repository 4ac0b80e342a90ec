// Notifies the admins of a clinic that the provider has refused the account of its number.
import { inTenant } from '@clinic/lib/db/db.ts';
import { job } from '@clinic/lib/jobs/jobs.ts';
import type { App } from '../app.ts';
import { mailAdmins } from '../mail/mail-admins.ts';
import { findChannel, NOTIFY_CHANNEL_FAILED } from './channels.sql.ts';

/** `id` identifies the failure, so that a repeated run sends no second mail. No mail is sent if the clinic has corrected its channel meanwhile. */
export const notifyChannelFailedJob = (app: App) =>
  job<{ id: string; clinicId: string }>(NOTIFY_CHANNEL_FAILED, {}, async ({ id, clinicId }) => {
    const channel = await inTenant(app.db, clinicId, findChannel);
    if (channel?.status !== 'failed') return;
    await mailAdmins(app, clinicId, 'chat_channel_failed', { number: channel.display_number || (channel.phone_number_id ?? '') }, id);
  });
