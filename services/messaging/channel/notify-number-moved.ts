// Notifies the admins of both clinics that a number has moved from one to the other. The alert ChatNumberMoved on this job notifies the operators.
import { inTenant } from '@clinic/lib/db/db.ts';
import { job } from '@clinic/lib/jobs/jobs.ts';
import type { App } from '../app.ts';
import { mailAdmins } from '../mail/mail-admins.ts';
import { findChannel } from './channels.sql.ts';

export const NOTIFY_NUMBER_MOVED = 'notify-number-moved';

/** `id` identifies the move; `from` and `to` are clinics. */
export type NumberMoved = { id: string; numberId: string; from: string; to: string };

/** A repeated run sends no second mail: the reference contains the id of the move. */
export const notifyNumberMovedJob = (app: App) =>
  job<NumberMoved>(NOTIFY_NUMBER_MOVED, {}, async ({ id, numberId, from, to }) => {
    const channel = await inTenant(app.db, to, findChannel);
    const number = channel?.display_number || numberId;
    await mailAdmins(app, from, 'chat_number_lost', { number }, id);
    await mailAdmins(app, to, 'chat_number_gained', { number }, id);
    app.log.warn({ numberId, fromClinic: from, toClinic: to }, 'a chat number moved to another clinic');
  });
