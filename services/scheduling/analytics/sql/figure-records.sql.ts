// The records that a figure counts.
import { type Db, readTenant, type Statement, sql } from '@clinic/lib/db/db.ts';
import { type Age, ageOf } from './dashboard.sql.ts';

type RecordRow = { id: string; date: string; cents: bigint | null; patient_id: string; plan_id: string | null; steps: number | null };
type PageRow = RecordRow & { total: number; total_cents: bigint; total_steps: number | null };

/** A page of `matches`, newest first. Always at least one row; it carries the totals. $1 clinic, $2 limit, $3 offset, $4 first and $5 last date. */
const pageOf = (matches: string): Statement<PageRow> =>
  sql(`
  with matches as (${matches})
  select counted.*, page.* from (
    select count(*)::int as total, coalesce(sum(cents), 0)::bigint as total_cents, sum(steps)::int as total_steps from matches
  ) counted
  left join lateral (select * from matches order by date desc, id desc limit $2 offset $3) page on true`);

const NO_STEPS = 'null::int as steps';

const collected = pageOf(`
  select r.payment_id as id, r.date, sum(r.cents)::bigint as cents, p.patient_id, r.payment_plan_id as plan_id, ${NO_STEPS}
  from analytics_revenue r join analytics_payment_plans p on p.clinic_id = r.clinic_id and p.payment_plan_id = r.payment_plan_id
  where r.clinic_id = $1 and r.date between $4 and $5
    and case $6 when '' then true when 'none' then r.doctor_id is null else r.doctor_id::text = $6 end
    and case $7 when '' then true when 'none' then r.procedure = '' else r.procedure = $7 end
  group by r.payment_id, r.date, p.patient_id, r.payment_plan_id`);

const patients = (which: string) =>
  pageOf(`select patient_id as id, date, null::bigint as cents, patient_id, null::uuid as plan_id, ${NO_STEPS}
  from analytics_patient_days where clinic_id = $1 and date between $4 and $5 and ${which}`);

const treatments = (cents: string, which: string, steps = NO_STEPS) =>
  pageOf(`select treatment_plan_id as id, opened_on as date, ${cents} as cents, patient_id, treatment_plan_id as plan_id, ${steps}
  from analytics_treatments where clinic_id = $1 and opened_on <= $5 and ${which}`);

const receivables = pageOf(`
  select r.payment_plan_id as id, min(r.date) as date, sum(r.cents)::bigint as cents, p.patient_id, r.payment_plan_id as plan_id, ${NO_STEPS}
  from analytics_receivables r join analytics_payment_plans p on p.clinic_id = r.clinic_id and p.payment_plan_id = r.payment_plan_id
  where r.clinic_id = $1 and $4::date is not null and r.date <= $5::date and ($6 = '' or ${ageOf('$5::date')} = $6)
  group by r.payment_plan_id, p.patient_id having sum(r.cents) <> 0`);

const statements = {
  collected,
  new_patients: patients('previous_date is null'),
  returning_patients: patients('previous_date < $4'),
  presented: treatments('total_cents', 'opened_on >= $4'),
  accepted: treatments('total_cents', 'opened_on >= $4 and accepted'),
  unscheduled: treatments('unscheduled_cents', 'unscheduled_steps > 0 and $4::date is not null', 'unscheduled_steps as steps'),
  receivables,
};

type ListedFigure = keyof typeof statements;
export const LISTED_FIGURES = Object.keys(statements) as ListedFigure[];

/** `doctor` and `procedure` may be `none`. */
type RecordFilter = { from: string; to: string; doctor?: string | undefined; procedure?: string | undefined; age?: Age | undefined };

export async function listRecords(db: Db, clinicId: string, figure: ListedFigure, filter: RecordFilter, limit: number, offset: number) {
  const { from, to, doctor, procedure, age } = filter;
  const more: Partial<Record<ListedFigure, string[]>> = { collected: [doctor ?? '', procedure ?? ''], receivables: [age ?? ''] };
  const records = await readTenant(db, clinicId, statements[figure], [clinicId, limit, offset, from, to, ...(more[figure] ?? [])]);
  const { total = 0, total_cents = 0n, total_steps } = records[0] ?? {};
  const totalSteps = figure === 'unscheduled' ? (total_steps ?? 0) : undefined;
  return { rows: records.filter(({ id }) => id !== null), total, totalAmount: total_cents, totalSteps };
}

const PATHS = {
  collected: '/api/dental/payment-plans',
  new_patients: '/api/patients',
  returning_patients: '/api/patients',
  presented: '/api/dental/treatment-plans',
  accepted: '/api/dental/treatment-plans',
  unscheduled: '/api/dental/treatment-plans',
  receivables: '/api/dental/payment-plans',
};

export function toRecord(figure: ListedFigure, { id, date, cents, patient_id, plan_id, steps }: RecordRow) {
  return { id, date, amount: cents ?? undefined, patientId: patient_id, steps: steps ?? undefined, link: `${PATHS[figure]}/${plan_id ?? id}` };
}
