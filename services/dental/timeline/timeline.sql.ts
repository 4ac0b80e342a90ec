// Plans, payments, chart entries and periodontal exams of a patient in the order of time.
import { type Db, readTenant, sql } from '@clinic/lib/db/db.ts';
import { type TimelineAfter, type TimelineRow, timelinePage } from '@clinic/lib/formats/timeline.ts';
import { statusOnSql } from '../payment-plans/payment-plans.sql.ts';

const listStatement = sql<TimelineRow>(
  timelinePage(`
  select t.created_at as at, 'treatment_plan' as kind, t.id, t.title, t.status, null::bigint as amount_cents
  from treatment_plans t where t.clinic_id = $1 and t.patient_id = any($2)
  union all
  select p.created_at, 'payment_plan', p.id, p.description, ${statusOnSql('$6')}, p.total_cents from payment_plans p
  where p.clinic_id = $1 and p.patient_id = any($2)
  union all
  select y.paid_at, 'payment', y.id, y.payment_method, case when y.voided_at is null then 'paid' else 'voided' end, y.amount_cents
  from payments y join payment_plans p on p.clinic_id = y.clinic_id and p.id = y.payment_plan_id where p.clinic_id = $1 and p.patient_id = any($2)
  union all
  select e.created_at, 'chart_entry', e.id, concat_ws(' ', coalesce(e.finding, e.kind), array_to_string(e.teeth, ', ')), e.status, null
  from chart_entries e where e.clinic_id = $1 and e.patient_id = any($2)
  union all
  select x.created_at, 'periodontal_exam', x.id, x.exam_date::text, null, null
  from periodontal_exams x where x.clinic_id = $1 and x.patient_id = any($2)`),
);

/** `today` is the date in the clinic's time zone. */
export const listEntries = (db: Db, clinicId: string, patientIds: string[], today: string, { before, beforeId, limit }: TimelineAfter) =>
  readTenant(db, clinicId, listStatement, [clinicId, patientIds, before, beforeId, limit, today]);
