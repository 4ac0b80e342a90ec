// Clinics whose subscription expires soon, and the warnings that were already sent to them.
import { type Db, execute, readSystem, type SystemTx, sql } from '@clinic/lib/db/db.ts';
import type { Plan } from '@clinic/lib/formats/plans.ts';
import { renews } from '../plans/renews.sql.ts';

type ExpiringRow = { clinic_id: string; subscription_plan: Plan; subscription_expires_at: Date };

const listExpiringStatement = sql<ExpiringRow>(`
  select clinic_id, subscription_plan, subscription_expires_at from clinics
  where is_active and subscription_plan <> 'forever_free' and subscription_expires_at > $1 and subscription_expires_at <= $2 and clinic_id > $3
    and not ${renews('clinics')}
  order by clinic_id limit $4`);

/** As the system: over all clinics. Subscriptions that end in the interval, by clinic id, except those that renew by themselves. */
export const listExpiring = (db: Db, { after, until }: { after: Date; until: Date }, page: { afterClinicId: string; limit: number }) =>
  readSystem(db, listExpiringStatement, [after, until, page.afterClinicId, page.limit]);

const insertStatement = sql(`
  insert into expiry_warnings (clinic_id, expires_on, days_left, warned_at)
  select clinic_id, (subscription_expires_at at time zone 'UTC')::date, $3, $4 from clinics
  where clinic_id = $1 and subscription_expires_at = $2 and is_active
  on conflict do nothing`);

/** False if this warning is already recorded or the expiry has changed. */
export const insertWarning = async (tx: SystemTx, clinicId: string, expiresAt: Date, daysLeft: number, now: Date) =>
  (await execute(tx, insertStatement, [clinicId, expiresAt, daysLeft, now])) === 1;

const purgeStatement = sql('delete from expiry_warnings where expires_on < $1');

export const purgeWarnings = (tx: SystemTx, before: Date) => execute(tx, purgeStatement, [before]);

type RecipientRow = { id: string; email: string; full_name: string; clinic_name: string; timezone: string };

const listRecipientsStatement = sql<RecipientRow>(`
  select u.id, u.email, u.full_name, c.name as clinic_name, c.timezone from clinics c join users u on u.clinic_id = c.clinic_id
  where c.clinic_id = $1 and c.subscription_expires_at = $2 and c.is_active and u.is_active and u.app_role = 'admin' order by u.id`);

/** As the system, because a job calls it. The active admins of the clinic; none if the expiry has changed since. */
export const listRecipients = (db: Db, clinicId: string, expiresAt: Date) => readSystem(db, listRecipientsStatement, [clinicId, expiresAt]);
