// Mails to the admins of a clinic.
import { asSystem } from '@clinic/lib/db/db.ts';
import type { App } from '../app.ts';
import { storeMail } from './store-mail.ts';

const PAGE_SIZE = 500;

/** The parameters `name` and `clinic` are added. A mail whose kind and reference exist is not stored again; each admin has a reference of their own. */
export async function mailAdmins(app: App, clinicId: string, kind: string, parameters: Record<string, string>, reference: string): Promise<void> {
  const { name: clinic } = await app.clinics.get(clinicId);
  for (const { id, email, fullName: name } of await adminsOf(app, clinicId)) {
    const mail = { kind, to: email, parameters: { ...parameters, name, clinic }, reference: `${reference}/${id}` };
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
