// Patients whom a campaign may contact. The list and the nightly run use the same statement, so that they agree.
import { type Db, execute, row, sql, type TenantTx } from '@clinic/lib/db/db.ts';
import { readPage } from '@clinic/lib/db/read-page.ts';
import { COUNTED_FAILURES } from '../rules/contact-state.ts';

/**
 * SQL for whether a completed appointment counts for a campaign. Its arguments are aliases. An appointment counts for a procedure when a treatment step with
 * that procedure is linked to it and is not skipped.
 */
export const countsFor = (appointment: string, campaign: string) => `
  ${appointment}.status = 'completed' and (${campaign}.procedure_type is null or exists (
    select 1 from treatment_steps s
    where s.clinic_id = ${appointment}.clinic_id and s.appointment_id = ${appointment}.appointment_id and s.status <> 'skipped'
      and (s.procedure_code = ${campaign}.procedure_type or procedure_words(s.procedure) like '%' || procedure_words(${campaign}.procedure_type) || '%')))`;

const COUNTED = COUNTED_FAILURES.map((failure) => `'${failure}'`).join();
// $1 clinic, $2 now, $3 today in UTC-6.
const ELIGIBLE = `
  select c.id as campaign_id, c.created_at as campaign_created_at, c.send_time, c.retry_interval_days,
    v.patient_id, v.last_visit, coalesce(a.attempts, 0) as attempts, a.last_day, coalesce(a.responded, false) as responded
  from recall_campaigns c
  cross join lateral (
    select past.patient_id, max(past.appointment_date) as last_visit from recall_visits past
    where past.clinic_id = $1 and ${countsFor('past', 'c')}
    group by past.patient_id
    having max(past.appointment_date) <= $3::date - c.recall_interval_days
  ) v
  join recall_patients p on p.clinic_id = $1 and p.patient_id = v.patient_id and not p.opted_out and p.has_phone and not p.is_archived
  left join (
    select campaign_id, patient_id, last_visit, max(day) as last_day, bool_or(responded_at is not null) as responded,
      (count(*) filter (where status <> 'failed' or sent_at is not null or failure in (${COUNTED})))::int as attempts
    from recall_contacts where clinic_id = $1 and not withdrawn group by campaign_id, patient_id, last_visit
  ) a on a.campaign_id = c.id and a.patient_id = v.patient_id and a.last_visit = v.last_visit
  where c.clinic_id = $1 and coalesce(a.attempts, 0) < c.max_attempts and not exists (
    select 1 from recall_visits f
    where f.clinic_id = $1 and f.patient_id = v.patient_id and f.status in ('confirmed', 'pending') and f.starts_at > $2)`;

const listStatement = sql<{ id: string; last_visit: string; attempts: number; last_day: string | null; total: number }>(`
  with eligible as (${ELIGIBLE} and c.id = $4)
  select counted.total, page.* from (select count(*)::int as total from eligible) counted
  left join lateral (
    select patient_id as id, last_visit, attempts, last_day from eligible order by last_visit, patient_id limit $5 offset $6
  ) page on true`);

/** A page of a campaign's eligible patients by id, those with the longest absence first. `today` is the date in UTC-6. */
export const findEligiblePage = (db: Db, clinicId: string, now: Date, today: string, campaignId: string, limit: number, offset: number) =>
  readPage(db, clinicId, listStatement, [clinicId, now, today, campaignId, limit, offset]);

// When the send time has passed, the message is due on the next day. When several campaigns match a patient, the oldest one queues
// the message: a constraint allows one contact per patient and day.
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

// A named statement is planned once per connection. A plan that was made while the tables were small scans them sequentially, and would
// be used for all clinics of the run, although the run makes the tables large.
const disableSequentialScansStatement = sql('set local enable_seqscan = off');

/** Queues the contacts of a clinic for a day and records the run. Returns the number of contacts queued. */
export async function queueContacts(tx: TenantTx, now: Date, today: string): Promise<number> {
  const [, counted] = await Promise.all([execute(tx, disableSequentialScansStatement), row(tx, queueStatement, [tx.clinicId, now, today])]);
  return counted?.queued ?? 0;
}
