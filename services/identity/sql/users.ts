// The people of a clinic.
import { run, sql, type TenantTx } from '@clinic/lib/db.ts';

export type NewUser = { id: string; email: string; full_name: string; app_role: string; password_hash: string; registered_clinic: boolean };

const insertStatement = sql(`
  insert into users (clinic_id, id, email, full_name, app_role, password_hash, registered_clinic, created_at, updated_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $8)`);

/** Breaks users_email_unique when the e-mail has an account, in whichever clinic. */
export async function insertUser(tx: TenantTx, user: NewUser, now: Date): Promise<void> {
  await run(tx, insertStatement, [tx.clinicId, user.id, user.email, user.full_name, user.app_role, user.password_hash, user.registered_clinic, now]);
}
