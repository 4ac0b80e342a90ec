// Sends mails to the admins of a clinic.
import { asSystem } from '@clinic/lib/db/db.ts';
import { allPages } from '@clinic/lib/rpc/all-pages.ts';
import type { App } from '../app.ts';
import { storeMail } from './store-mail.ts';

const PAGE_SIZE = 500;

/** Adds the parameters `name` and `clinic`. A mail with the same kind and reference is not stored again; the id of the admin is added to the reference. */
export async function mailAdmins(app: App, clinicId: string, kind: string, parameters: Record<string, string>, reference: string): Promise<void> {
  const { name: clinic } = await app.clinics.get(clinicId);
  for (const { id, email, fullName: name } of await adminsOf(app, clinicId)) {
    const mail = { kind, to: email, parameters: { ...parameters, name, clinic }, reference: `${reference}/${id}` };
    // As the system, because a mail belongs to no clinic.
    await asSystem(app.db, (tx) => storeMail(app, tx, mail));
  }
}

async function adminsOf(app: App, clinicId: string) {
  const options = await app.clinics.callOptions(clinicId);
  const users = await allPages(PAGE_SIZE, async (page) => {
    const { users: entries, total } = await app.identity.users.listUsers(page, options);
    return { entries, total };
  });
  return users.filter(({ appRole, isActive }) => appRole === 'admin' && isActive);
}
