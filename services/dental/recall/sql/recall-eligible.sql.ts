// Whom a campaign may invite: one statement, asked by the list and by the nightly run, so that both say the same.
import { execute, row, sql, type TenantTx } from '@clinic/lib/db/db.ts';

// $1 clinic, $2 now, $3 today in UTC-6. A visit counts for a procedure when a step of a treatment plan was done in it.
const ELIGIBLE = `
  select c.id as campaign_id, c.created_at as campaign_created_at, c.send_time, c.retry_interval_days,
    v.patient_id, v.last_visit, coalesce(a.attempts, 0) as attempts, a.last_day, coalesce(a.responded, false) as responded
  from recall_campaigns c
  cross join lateral (
    select seen.patient_id, max(seen.appointment_date) as last_visit from recall_visits seen
    where seen.clinic_id = $1 and seen.status = 'completed' and (c.procedure_type is null or exists (
      select 1 from treatment_steps s
      where s.clinic_id = $1 and s.appointment_id = seen.appointment_id and s.status <> 'skipped'
        and (s.procedure_code = c.procedure_type or procedure_words(s.procedure) like '%' || procedure_words(c.procedure_type) || '%')))
    group by seen.patient_id
    having max(seen.appointment_date) <= $3::date - c.recall_interval_days
  ) v
  join recall_patients p on p.clinic_id = $1 and p.patient_id = v.patient_id and not p.opted_out and p.has_phone and not p.is_archived
  left join (
    select campaign_id, patient_id, last_visit, count(*)::int as attempts, max(day) as last_day, bool_or(responded_at is not null) as responded
    from recall_contacts where clinic_id = $1 and not withdrawn group by campaign_id, patient_id, last_visit
  ) a on a.campaign_id = c.id and a.patient_id = v.patient_id and a.last_visit = v.last_visit
  where c.clinic_id = $1 and coalesce(a.attempts, 0) < c.max_attempts and not exists (
    select 1 from recall_visits f
    where f.clinic_id = $1 and f.patient_id = v.patient_id and f.status in ('confirmed', 'pending') and f.starts_at > $2)`;

export type EligibleRow = { patient_id: string; last_visit: string; attempts: number; last_day: string | null };

/** $1 clinic, $2 now, $3 today, $4 campaign, $5 limit, $6 offset. Always yields a row, which carries the total. */
export const listEligibleStatement = sql<EligibleRow & { total: number }>(`
  with eligible as (${ELIGIBLE} and c.id = $4)
  select counted.total, page.* from (select count(*)::int as total from eligible) counted
  left join lateral (
    select patient_id, last_visit, attempts, last_day from eligible order by last_visit, patient_id limit $5 offset $6
  ) page on true`);

// A send time that has passed is tomorrow's. Of two campaigns the older one writes; whoever was written to that day already is left
// out by the constraint.
const queueStatement = sql<{ queued: number }>(`
  with due as (
    select e.*, ($3::date + e.send_time)::timestamp at time zone interval '-06:00' as today_at
    from (${ELIGIBLE} and c.is_active) e where not e.responded
  ), timed as (
    select due.*, case when today_at >= $2 then $3::date else $3::date + 1 end as day,
      case when today_at >= $2 then today_at else today_at + interval '1 day' end as due_at
    from due
  ), queued as (
    insert into recall_contacts (clinic_id, id, campaign_id, patient_id, day, last_visit, attempt, due_at, status, created_at, updated_at)
    select distinct on (patient_id) $1, uuidv7(), campaign_id, patient_id, day, last_visit, attempts + 1, due_at, 'queued', $2, $2
    from timed where last_day is null or last_day + retry_interval_days <= day
    order by patient_id, campaign_created_at, campaign_id
    on conflict on constraint recall_contacts_once_a_day do nothing
    returning 1
  )
  insert into recall_runs (clinic_id, day, queued) select $1, $3, count(*) from queued
  on conflict (clinic_id, day) do nothing
  returning queued`);

// A plan made while the tables are small reads them whole, and would go on to do so for each of a thousand clinics while the run
// itself makes them large.
const byIndexStatement = sql('set local enable_seqscan = off');

/** Queues the contacts of a clinic's day and notes that the day is done. Returns how many were queued. */
export async function queueContacts(tx: TenantTx, now: Date, today: string): Promise<number> {
  const [, counted] = await Promise.all([execute(tx, byIndexStatement), row(tx, queueStatement, [tx.clinicId, now, today])]);
  return counted?.queued ?? 0;
}
