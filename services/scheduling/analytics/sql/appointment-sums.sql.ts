// Sums of appointments by day, rebuilt for single days from the appointments.
// Arrays come from subselects, so that a statement is planned once: a plan for short arrays always looks cheaper than one for any arrays.
import { execute, rows, type SystemTx, sql } from '@clinic/lib/db/db.ts';
import { type ClinicDate, daySums, rebuildLast } from './day-sums.sql.ts';
import { differences, writeChanged } from './replace-rows.ts';

/** A date of a doctor. */
export type DoctorDay = { clinicId: string; date: string; doctorId: string };
/** A patient of a clinic. */
export type ClinicPatient = { clinicId: string; patientId: string };

const DAYS = [
  'analytics_days',
  'clinic_id, date, doctor_id',
  'confirmed, pending, completed, cancelled, late_cancelled, no_show, chat, waitlist, minutes',
] as const;
const rebuildDaysStatement = sql(`
  with key as (select distinct * from unnest((select $1::uuid[]), (select $2::date[]), (select $3::uuid[])) as key (clinic_id, date, doctor_id)), fresh as (
    select k.clinic_id, k.date, k.doctor_id,
      count(*) filter (where a.status = 'confirmed')::int as confirmed, count(*) filter (where a.status = 'pending')::int as pending,
      count(*) filter (where a.status = 'completed')::int as completed, count(*) filter (where a.status = 'cancelled')::int as cancelled,
      count(*) filter (where a.late_cancellation)::int as late_cancelled, count(*) filter (where a.status = 'no_show')::int as no_show,
      count(*) filter (where a.source = 'chat')::int as chat, count(*) filter (where a.source = 'waitlist')::int as waitlist,
      coalesce(sum(extract(epoch from upper(a.busy) - lower(a.busy)) / 60) filter (where a.status not in ('cancelled', 'no_show')), 0)::int as minutes
    from key k join appointments a on a.clinic_id = k.clinic_id and a.appointment_date = k.date and a.doctor_id = k.doctor_id
    group by 1, 2, 3
  ), stored as (select * from key join analytics_days using (clinic_id, date, doctor_id)), ${differences(...DAYS)} ${writeChanged(...DAYS)}`);

/** Rebuilds one sum of each date by `key`. The SQL of both refers to appointments `a`; only those that match `counted` are summed. */
function rebuildSums(table: string, [key, keyOf]: [string, string], [sum, sumOf]: [string, string], counted: string) {
  const rows = [table, `clinic_id, date, ${key}`, sum] as const;
  return sql(`
  with day as (select distinct * from unnest((select $1::uuid[]), (select $2::date[])) as day (clinic_id, date)), fresh as (
    select a.clinic_id, a.appointment_date as date, ${keyOf} as ${key}, ${sumOf} as ${sum}
    from day join appointments a on a.clinic_id = day.clinic_id and a.appointment_date = day.date
    where ${counted} group by 1, 2, 3
  ), stored as (select * from day join ${table} using (clinic_id, date)), ${differences(...rows)} ${writeChanged(...rows)}`);
}

// plain-words: visits is a stored column
const HOUR_COUNT: [string, string] = ['visits', 'count(*)::int'];
const rebuildHoursStatement = rebuildSums('analytics_hours', ['hour', 'extract(hour from a.start_time)::int'], HOUR_COUNT, `a.status <> 'cancelled'`);
const rebuildResourcesStatement = rebuildSums(
  'analytics_resource_days',
  ['resource_id', 'a.resource_id'],
  ['minutes', 'sum(extract(epoch from upper(a.busy) - lower(a.busy)) / 60)::int'],
  `a.resource_id is not null and a.status not in ('cancelled', 'no_show')`,
);

export async function rebuildAppointmentDays(tx: SystemTx, days: DoctorDay[]): Promise<void> {
  if (days.length === 0) return;
  const [clinics, dates, doctors] = [days.map(({ clinicId }) => clinicId), days.map(({ date }) => date), days.map(({ doctorId }) => doctorId)];
  await Promise.all([
    execute(tx, rebuildDaysStatement, [clinics, dates, doctors]),
    execute(tx, rebuildHoursStatement, [clinics, dates]),
    execute(tx, rebuildResourcesStatement, [clinics, dates]),
  ]);
}

const PATIENT_DAYS = ['analytics_patient_days', 'clinic_id, patient_id, date', 'previous_date'] as const;
const rebuildPatientsStatement = sql<ClinicDate>(`
  with key as (select distinct * from unnest((select $1::uuid[]), (select $2::uuid[])) as key (clinic_id, patient_id)), fresh as (
    select clinic_id, patient_id, date, lag(date) over (partition by clinic_id, patient_id order by date) as previous_date
    from (
      select distinct a.clinic_id, a.patient_id, a.appointment_date as date
      from key k join appointments a on a.clinic_id = k.clinic_id and a.patient_id = k.patient_id where a.status = 'completed'
    ) seen
  ), stored as (select * from key join analytics_patient_days using (clinic_id, patient_id)), ${differences(...PATIENT_DAYS)},
  written as (${writeChanged(...PATIENT_DAYS)})
  select clinic_id as "clinicId", date from outdated union select clinic_id, date from changed`);
const rebuildSeenDays = rebuildLast(
  daySums('analytics_seen_days', {
    key: 'previous_month',
    keyOf: `date_trunc('month', s.previous_date)::date`,
    sums: { patients: 'count(*)' },
    from: 'analytics_patient_days',
  }),
);

export async function rebuildPatientDays(tx: SystemTx, patients: ClinicPatient[]): Promise<void> {
  if (patients.length === 0) return;
  rebuildSeenDays(tx, await rows(tx, rebuildPatientsStatement, [patients.map(({ clinicId }) => clinicId), patients.map(({ patientId }) => patientId)]));
}

const listDaysStatement = sql<DoctorDay>(`
  select distinct clinic_id as "clinicId", appointment_date as date, doctor_id as "doctorId" from appointments where clinic_id = $1 order by 2, 3`);

/** Each date of each doctor that has appointments. */
export const listDoctorDays = (tx: SystemTx, clinicId: string) => rows(tx, listDaysStatement, [clinicId]);

const listSeenStatement = sql<ClinicPatient>(`
  select distinct clinic_id as "clinicId", patient_id as "patientId" from appointments where clinic_id = $1 and status = 'completed'`);

/** All patients with a completed appointment. */
export const listSeenPatients = (tx: SystemTx, clinicId: string) => rows(tx, listSeenStatement, [clinicId]);
