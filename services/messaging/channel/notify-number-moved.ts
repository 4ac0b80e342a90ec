// Notifies the admins of both clinics that a number has moved from one to the other. An alert on this job notifies the operators.
import { asSystem, inTenant } from '@clinic/lib/db/db.ts';
import { job } from '@clinic/lib/jobs/jobs.ts';
import type { App } from '../app.ts';
import { storeMail } from '../mail/store-mail.ts';
import { findChannel } from './channels.sql.ts';

export const NOTIFY_NUMBER_MOVED = 'notify-number-moved';

/** `id` is that of the move; `from` and `to` are clinics. */
export type NumberMoved = { id: string; numberId: string; from: string; to: string };

const PAGE_SIZE = 500;

/** A repeated run sends no second mail: the reference contains the id of the move. */
export const notifyNumberMovedJob = (app: App) =>
  job<NumberMoved>(NOTIFY_NUMBER_MOVED, {}, async ({ id, numberId, from, to }) => {
    const channel = await inTenant(app.db, to, findChannel);
    const number = channel?.display_number || numberId;
    await mailAdmins(app, from, 'chat_number_lost', number, id);
    await mailAdmins(app, to, 'chat_number_gained', number, id);
    app.log.warn({ numberId, fromClinic: from, toClinic: to }, 'a chat number moved to another clinic');
  });

async function mailAdmins(app: App, clinicId: string, kind: string, number: string, moveId: string): Promise<void> {
  const { name: clinic } = await app.clinics.get(clinicId);
  for (const { id, email, fullName: name } of await adminsOf(app, clinicId)) {
    const mail = { kind, to: email, parameters: { name, clinic, number }, reference: `${moveId}/${id}` };
    // As the system: a mail belongs to no clinic.
    await asSystem(app.db, (tx) => storeMail(app, tx, mail));
  }
}

async function adminsOf(app: App, clinicId: string) {
  const options = await app.clinics.callOptions(clinicId);
  const users = [];
  for (let page = 1, total = 1; (page - 1) * PAGE_SIZE < total; page++) {
    const response = await app.identity.users.listUsers({ page, limit: PAGE_SIZE }, options);
    users.push(...response.users);
    total = response.total;
  }
  return users.filter(({ appRole, isActive }) => appRole === 'admin' && isActive);
}
