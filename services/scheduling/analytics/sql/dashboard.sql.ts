// The sums that the dashboard reads, by day, of a period and of the adjacent period before it. In every statement $1 is the clinic, $2 the
// first and $3 the last date of the period, $4 the first date of the period before.
import { alphabetical } from '@clinic/lib/db/alphabetical.ts';
import { rows, sql, type TenantTx } from '@clinic/lib/db/db.ts';
import type { Timetable } from '../../slots/coverage-rules.ts';
import { timetableOf } from '../../slots/timetable.sql.ts';
import type { Period } from '../period-rules.ts';

/** Whether a row belongs to the period, or to the one before. */
type Side = { current: boolean };
/** Values of the period, and of the one before. */
type Compared<K extends string, V> = Record<`${K}_${'now' | 'before'}`, V>;

export type Counted = 'booked' | 'completed' | 'cancelled' | 'late_cancelled' | 'no_show' | 'chat';
export type AppointmentSums = Side & Record<Counted | 'weekday' | 'minutes', number> & { doctor_id: string };

const sumAppointmentsStatement = sql<AppointmentSums>(`
  select date >= $2 as current, doctor_id, extract(dow from date)::int as weekday,
    sum(confirmed + pending + completed + cancelled + no_show)::int as booked, sum(completed)::int as completed, sum(cancelled)::int as cancelled,
    sum(late_cancelled)::int as late_cancelled,
    sum(no_show)::int as no_show, sum(chat)::int as chat, sum(minutes)::int as minutes
  from analytics_days where clinic_id = $1 and date between $4 and $3
  group by 1, 2, 3`);

export type HourSums = Side & { weekday: number; hour: number; appointments: number };

// plain-words: visits is a stored column
const sumHoursStatement = sql<HourSums>(`select date >= $2 as current, extract(dow from date)::int as weekday, hour, sum(visits)::int as appointments
  from analytics_hours where clinic_id = $1 and date between $4 and $3
  group by 1, 2, 3 order by 2, 3`);

const OF_NOW = 'date between $2 and $3';
const OF_BEFORE = 'date between $4 and $2::date - 1';
const MONTH = (day: string) => `date_trunc('month', ${day}::date)::date`;
/** Patients who were last seen in the same month, before the period began. */
const SAME_MONTH = (day: string, within: string) => `(
    select count(*) from analytics_patient_days where clinic_id = $1 and previous_date >= ${MONTH(day)} and previous_date < ${day} and ${within})`;

// Always one row. A patient counts once in a period: on the day whose previous day with an appointment is not in the period.
const sumPatientsStatement = sql<Compared<'new' | 'returning', number>>(`
  select coalesce(sum(patients) filter (where date >= $2 and previous_month is null), 0)::int as new_now,
    coalesce(sum(patients) filter (where date < $2 and previous_month is null), 0)::int as new_before,
    (coalesce(sum(patients) filter (where date >= $2 and previous_month < ${MONTH('$2')}), 0) + ${SAME_MONTH('$2', OF_NOW)})::int as returning_now,
    (coalesce(sum(patients) filter (where date < $2 and previous_month < ${MONTH('$4')}), 0) + ${SAME_MONTH('$4', OF_BEFORE)})::int as returning_before
  from analytics_seen_days where clinic_id = $1 and date between $4 and $3`);

type DayMoney = { date: string; cents: bigint };

const sumRevenueByDayStatement = sql<DayMoney>(`
  select date, sum(cents)::bigint as cents from analytics_revenue_days where clinic_id = $1 and $2::date is not null and date between $4 and $3 group by date`);

const sumDocumentsByDayStatement = sql<DayMoney>(`
  select date, cents from analytics_document_days where clinic_id = $1 and $2::date is not null and date between $4 and $3`);

const sumRevenueByDoctorStatement = sql<Side & { doctor_id: string | null; cents: bigint }>(`
  select date >= $2 as current, doctor_id, sum(cents)::bigint as cents from analytics_revenue_days
  where clinic_id = $1 and date between $4 and $3 group by 1, 2`);

const sumRevenueByProcedureStatement = sql<Side & { procedure: string; cents: bigint }>(`
  select date >= $2 as current, procedure, sum(cents)::bigint as cents from analytics_procedure_days
  where clinic_id = $1 and date between $4 and $3 group by 1, 2`);

type TreatmentSums = Compared<'presented' | 'accepted', number> & Compared<'presented_cents' | 'accepted_cents', bigint>;

const sumOf = (column: string, type: string, name: string) => `
    coalesce(sum(${column}) filter (where date >= $2), 0)::${type} as ${name}_now, coalesce(sum(${column}) filter (where date < $2), 0)::${type} as ${name}_before`;

// Always one row.
const sumTreatmentsStatement = sql<TreatmentSums>(`
  select ${sumOf('presented', 'int', 'presented')}, ${sumOf('accepted', 'int', 'accepted')},
    ${sumOf('presented_cents', 'bigint', 'presented_cents')}, ${sumOf('accepted_cents', 'bigint', 'accepted_cents')}
  from analytics_treatment_days where clinic_id = $1 and date between $4 and $3`);

// Always one row.
const sumUnscheduledStatement = sql<Compared<'steps', number> & Compared<'cents', bigint>>(`
  select coalesce(sum(unscheduled_steps), 0)::int as steps_now, coalesce(sum(unscheduled_steps) filter (where opened_on < $2), 0)::int as steps_before,
    coalesce(sum(unscheduled_cents), 0)::bigint as cents_now, coalesce(sum(unscheduled_cents) filter (where opened_on < $2), 0)::bigint as cents_before
  from analytics_treatments where clinic_id = $1 and unscheduled_steps > 0 and opened_on <= $3 and $4::date is not null`);

export const AGES = ['not_due', '1_30', '31_60', '61_90', 'over_90'] as const;
export type Age = (typeof AGES)[number];

/** SQL of the age of an amount with a `due_date` on a day. */
export const ageOf = (day: string) => `case when due_date >= ${day} then 'not_due' when due_date >= ${day} - 30 then '1_30'
    when due_date >= ${day} - 60 then '31_60' when due_date >= ${day} - 90 then '61_90' else 'over_90' end`;

// $2 the date at whose end receivables are summed, $3 the one for the period before.
const sumReceivablesStatement = sql<Side & { age: Age; cents: bigint }>(`
  select at.current, ${ageOf('at.day')} as age, sum(r.cents)::bigint as cents
  from (values (true, $2::date), (false, $3::date)) as at (current, day)
  join analytics_receivable_days r on r.clinic_id = $1 and r.date <= at.day
  group by 1, 2`);

/** The columns that determine since when, and until when, a doctor or a resource counts. Cancelled appointments are left out. */
export type Lifetime = { is_active: boolean; created_at: Date; first_appointment: string | null; last_appointment: string | null };

export type DoctorRow = Timetable & Lifetime & { id: string; full_name: string };

/** The days of the doctor `d` with appointments other than cancelled ones. */
const DAYS_OF_DOCTOR = 'analytics_days a where a.clinic_id = d.clinic_id and a.doctor_id = d.id and confirmed + pending + completed + no_show > 0';

// $2 first date of the vacations that matter.
const listDoctorsStatement = sql<DoctorRow>(`
  select d.id, d.full_name, d.is_active, d.created_at,
    (select min(date) from ${DAYS_OF_DOCTOR}) as first_appointment, (select max(date) from ${DAYS_OF_DOCTOR}) as last_appointment,
    ${timetableOf('d.clinic_id', 'd.id', '$2')}
  from doctors d where d.clinic_id = $1
  order by ${alphabetical('d.full_name')}, d.id`);

export type ResourceRow = Lifetime & Compared<'minutes', number> & { id: string; name: string; kind: string };

const listResourcesStatement = sql<ResourceRow>(`
  select r.id, r.name, r.kind, r.is_active, r.created_at, sums.minutes_now, sums.minutes_before,
    (select min(date) from analytics_resource_days a where a.clinic_id = r.clinic_id and a.resource_id = r.id) as first_appointment,
    (select max(date) from analytics_resource_days a where a.clinic_id = r.clinic_id and a.resource_id = r.id) as last_appointment
  from resources r cross join lateral (
    select coalesce(sum(minutes) filter (where date >= $2), 0)::int as minutes_now, coalesce(sum(minutes) filter (where date < $2), 0)::int as minutes_before
    from analytics_resource_days a where a.clinic_id = r.clinic_id and a.resource_id = r.id and a.date between $4 and $3
  ) sums
  where r.clinic_id = $1 order by ${alphabetical('r.name')}, r.id`);

/** All sums from which the figures are computed. Receivables have no age in the future, so they are summed until `today` at most. */
export async function findSums(tx: TenantTx, { from, to, previousFrom, previousTo }: Period, today: string) {
  const values = [tx.clinicId, from, to, previousFrom];
  const untilToday = (date: string) => (date < today ? date : today);
  const [appointments, patients, revenueByDay, documentsByDay, revenueByDoctor, revenueByProcedure, treatments, unscheduled, receivables, doctors, resources] =
    await Promise.all([
      rows(tx, sumAppointmentsStatement, values),
      rows(tx, sumPatientsStatement, values),
      rows(tx, sumRevenueByDayStatement, values),
      rows(tx, sumDocumentsByDayStatement, values),
      rows(tx, sumRevenueByDoctorStatement, values),
      rows(tx, sumRevenueByProcedureStatement, values),
      rows(tx, sumTreatmentsStatement, values),
      rows(tx, sumUnscheduledStatement, values),
      rows(tx, sumReceivablesStatement, [tx.clinicId, untilToday(to), untilToday(previousTo)]),
      rows(tx, listDoctorsStatement, [tx.clinicId, previousFrom]),
      rows(tx, listResourcesStatement, values),
    ]);
  return {
    appointments,
    patients,
    revenueByDay,
    documentsByDay,
    revenueByDoctor,
    revenueByProcedure,
    treatments,
    unscheduled,
    receivables,
    doctors,
    resources,
  };
}

export type Sums = Awaited<ReturnType<typeof findSums>>;

/** Appointments by weekday and hour of their start. */
export const findHourSums = (tx: TenantTx, { from, to, previousFrom }: Period) => rows(tx, sumHoursStatement, [tx.clinicId, from, to, previousFrom]);
