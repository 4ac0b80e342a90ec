// Clinics whose subscription ends soon, and what they have been told of it.
import { execute, type SystemTx, sql } from '@clinic/lib/db/db.ts';
import type { Plan } from '../plans/plans-rules.ts';

/** $1 now, $2 until when, $3 clinic of the last row of the page before, $4 limit. */
export const pageExpiringStatement = sql<{ clinic_id: string; subscription_plan: Plan; subscription_expires_at: Date }>(`
  select clinic_id, subscription_plan, subscription_expires_at from clinics
  where is_active and subscription_plan <> 'forever_free' and subscription_expires_at > $1 and subscription_expires_at <= $2 and clinic_id > $3
  order by clinic_id limit $4`);

const insertStatement = sql(`
  insert into expiry_warnings (clinic_id, expires_on, days_left, warned_at)
  select clinic_id, (subscription_expires_at at time zone 'UTC')::date, $3, $4 from clinics
  where clinic_id = $1 and subscription_expires_at = $2 and is_active
  on conflict do nothing`);

/** False when it was told already, or the expiry has moved meanwhile. */
export async function insertWarning(tx: SystemTx, clinicId: string, expiresAt: Date, daysLeft: number, now: Date): Promise<boolean> {
  return (await execute(tx, insertStatement, [clinicId, expiresAt, daysLeft, now])) === 1;
}

const purgeStatement = sql('delete from expiry_warnings where expires_on < $1');

export async function purgeWarnings(tx: SystemTx, before: Date): Promise<void> {
  await execute(tx, purgeStatement, [before]);
}

/** The admins of a clinic who are to hear of the warning; none once the expiry has moved: $1 clinic, $2 the expiry that was warned of. */
export const listWarnedStatement = sql<{ id: string; email: string; full_name: string; clinic_name: string; timezone: string }>(`
  select u.id, u.email, u.full_name, c.name as clinic_name, c.timezone from clinics c join users u on u.clinic_id = c.clinic_id
  where c.clinic_id = $1 and c.subscription_expires_at = $2 and c.is_active and u.is_active and u.app_role = 'admin' order by u.id`);
