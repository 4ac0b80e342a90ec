// Who receives reports by mail, and which reports are due or sent.
import { execute, rows, type SystemTx, sql, type TenantTx } from '@clinic/lib/db/db.ts';

export type ReportPeriod = 'week' | 'month';

const listStatement = sql<{ period: ReportPeriod }>('select period from report_subscriptions where clinic_id = $1 and user_id = $2');

export const listSubscriptions = async (tx: TenantTx, userId: string) => (await rows(tx, listStatement, [tx.clinicId, userId])).map(({ period }) => period);

const subscribeStatement = sql('insert into report_subscriptions (clinic_id, user_id, period, created_at) values ($1, $2, $3, $4) on conflict do nothing');
const unsubscribeStatement = sql('delete from report_subscriptions where clinic_id = $1 and user_id = $2 and period = $3');

type Subscription = { userId: string; period: ReportPeriod; enabled: boolean };

/** Whether the subscription changed. */
export async function setSubscribed(tx: TenantTx, { userId, period, enabled }: Subscription, now: Date): Promise<boolean> {
  if (enabled) return (await execute(tx, subscribeStatement, [tx.clinicId, userId, period, now])) === 1;
  return (await execute(tx, unsubscribeStatement, [tx.clinicId, userId, period])) === 1;
}

/** The dates are local to the clinic; the last one is included. */
type DueReport = { clinic_id: string; user_id: string; period: ReportPeriod; first_date: string; last_date: string };

// The past week or month in the clinic's zone is due from 07:00 of the day after it. A user who subscribes later gets the next one.
const insertDueStatement = sql<DueReport>(`
  with due as (
    select s.clinic_id, s.user_id, s.period, (b.start - ('1 ' || s.period)::interval)::date as first_date
    from report_subscriptions s
    left join clinics c on c.clinic_id = s.clinic_id
    cross join lateral (select coalesce(c.timezone, $2) as zone) z
    cross join lateral (select date_trunc(s.period, $1::timestamptz at time zone z.zone) as start) b
    cross join lateral (select (b.start + interval '7 hours') at time zone z.zone as at) due
    where $1 >= due.at and s.created_at < due.at
      and not exists (
        select from report_mails m
        where m.clinic_id = s.clinic_id and m.user_id = s.user_id and m.period = s.period and m.first_date = (b.start - ('1 ' || s.period)::interval)::date)
    limit $3
  )
  insert into report_mails (clinic_id, user_id, period, first_date, created_at) select clinic_id, user_id, period, first_date, $1 from due
  on conflict do nothing
  returning clinic_id, user_id, period, first_date, (first_date + ('1 ' || period)::interval - interval '1 day')::date as last_date`);

/** Records the reports that are due, each once, and returns them. `zone` is used for clinics whose zone is not known yet. */
export const insertDueReports = (tx: SystemTx, zone: string, now: Date, limit: number) => rows(tx, insertDueStatement, [now, zone, limit]);

const deleteStatement = sql('delete from report_mails where first_date < $1::date');

/** Deletes the records of reports that begin before `date`. */
export const deleteReports = (tx: SystemTx, date: string) => execute(tx, deleteStatement, [date]);
