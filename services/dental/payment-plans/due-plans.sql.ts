// Payment plans that become overdue or need a reminder on a day, over all clinics of a time zone.
import { rows, type SystemTx, sql } from '@clinic/lib/db/db.ts';
import { DEFAULT_ZONE } from '@clinic/lib/formats/local-date.ts';
import { usesDental } from '../recall/sql/recall-clinics.sql.ts';
import { type PaymentPlanState, STATE_COLUMNS } from './payment-plans.sql.ts';

type DuePlan = PaymentPlanState & { clinic_id: string };
const IN_ZONE = `coalesce((select z.timezone from clinic_zones z where z.clinic_id = p.clinic_id), '${DEFAULT_ZONE}') = $1`;

// A materialized common table expression runs once; a subquery could run again and lock other rows.
const overdueStatement = sql<DuePlan>(`
  with due as materialized (
    select p.clinic_id, p.id from payment_plans p where p.status = 'active' and p.next_due_date < $2 and ${IN_ZONE}
    limit $3 for update skip locked
  )
  update payment_plans p set status = 'overdue', revision = revision + 1, updated_at = $4 from due
  where p.clinic_id = due.clinic_id and p.id = due.id
  returning ${STATE_COLUMNS}`);

/** Marks up to `limit` active plans in the zone as overdue whose next due date is before `today`, and returns them. */
export const markOverdue = (tx: SystemTx, zone: string, today: string, limit: number, now: Date) => rows(tx, overdueStatement, [zone, today, limit, now]);

/** Reminders of a plan without a day are due on the 1st. */
const REMINDER_DAY = 'coalesce(p.reminder_day_of_month, 1)';

// The last reminder day up to $2 is in the month of $2 or in the one before. Materialized for the same reason.
const remindStatement = sql<DuePlan & { month: string }>(`
  with due as materialized (
    select p.clinic_id, p.id, day.month from payment_plans p
    cross join lateral (
      select (date_trunc('month', $2::date) - make_interval(months => (${REMINDER_DAY} > extract(day from $2::date))::int))::date as month
    ) day
    where p.reminder_enabled and p.status in ('active', 'overdue') and p.paid_cents < p.total_cents
      and (p.reminded_month is null or p.reminded_month < day.month)
      and day.month + ${REMINDER_DAY} - 1 >= p.remind_since and ${IN_ZONE} and ${usesDental('p.clinic_id', '$4::timestamptz')}
    limit $3 for update of p skip locked
  )
  update payment_plans p set reminded_month = due.month from due
  where p.clinic_id = due.clinic_id and p.id = due.id
  returning ${STATE_COLUMNS}, to_char(due.month, 'YYYY-MM') as month`);

/**
 * Marks up to `limit` plans in the zone whose last reminder day up to `today` has not been reminded of, and returns them with the month of
 * that day. Plans of clinics that cannot use dental are left out.
 */
export const markReminded = (tx: SystemTx, zone: string, today: string, limit: number, now: Date) => rows(tx, remindStatement, [zone, today, limit, now]);
