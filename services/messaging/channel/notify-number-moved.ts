// Notifies both clinics and the operators that a number has moved from one clinic to the other.
import { asSystem, inTenant } from '@clinic/lib/db/db.ts';
import { job } from '@clinic/lib/jobs/jobs.ts';
import type { App } from '../app.ts';
import { storeMail } from '../mail/store-mail.ts';
import { findChannel } from './channels.sql.ts';

export const NOTIFY_NUMBER_MOVED = 'notify-number-moved';

/** `id` is that of the move; `from` and `to` are clinics. */
export type NumberMoved = { id: string; numberId: string; from: string; to: string };

const PAGE = 500;

/** A repeat sends no mail twice: the reference is that of the move. The alert on this job notifies the operators. */
export const notifyNumberMovedJob = (app: App) =>
  job<NumberMoved>(NOTIFY_NUMBER_MOVED, {}, async ({ id, numberId, from, to }) => {
    const channel = await inTenant(app.db, to, findChannel);
    const number = channel?.display_number || numberId;
    await mailAdmins(app, from, 'chat_number_lost', number, id);
    await mailAdmins(app, to, 'chat_number_gained', number, id);
    app.log.warn({ numberId, fromClinic: from, toClinic: to }, 'a chat number has moved to another clinic');
  });

async function mailAdmins(app: App, clinicId: string, kind: string, number: string, moveId: string): Promise<void> {
  const { name: clinic } = await app.clinics.get(clinicId);
  for (const { id, email, fullName: name } of await adminsOf(app, clinicId)) {
    const letter = { kind, to: email, parameters: { name, clinic, number }, reference: `${moveId}/${id}` };
    // As the system: a mail belongs to no clinic.
    await asSystem(app.db, (tx) => storeMail(app, tx, letter));
  }
}

async function adminsOf(app: App, clinicId: string) {
  const acting = await app.clinics.callOptions(clinicId);
  const found = [];
  for (let page = 1, total = 1; (page - 1) * PAGE < total; page++) {
    const answer = await app.identity.users.listUsers({ page, limit: PAGE }, acting);
    found.push(...answer.users);
    total = answer.total;
  }
  return found.filter(({ appRole, isActive }) => appRole === 'admin' && isActive);
}
