// Sums of appointments by day, rebuilt for single days from the appointments. Only rows that differ are written or locked, since a lock is written to the WAL too.
// Arrays come from subselects, so that a statement is planned once: a plan for short arrays always looks cheaper than one for any arrays.
import { execute, rows, type SystemTx, sql } from '@clinic/lib/db/db.ts';
import { type ClinicDate, daySums, rebuildLast } from './day-sums.sql.ts';

/** A date of a doctor. */
export type DoctorDay = { clinicId: string; date: string; doctorId: string };
/** A patient of a clinic. */
export type ClinicPatient = { clinicId: string; patientId: string };

const SUMS = 'confirmed, pending, completed, cancelled, late_cancelled, no_show, chat, waitlist, minutes';
const sumsOf = (alias: string) => SUMS.replaceAll(/\w+/g, `${alias}.$&`);

const rebuildDaysStatement = sql(`
  with fresh as (
    select k.clinic_id, k.date, k.doctor_id, count(a.id) as appointments,
      count(*) filter (where a.status = 'confirmed')::int as confirmed, count(*) filter (where a.status = 'pending')::int as pending,
      count(*) filter (where a.status = 'completed')::int as completed, count(*) filter (where a.status = 'cancelled')::int as cancelled,
      count(*) filter (where a.late_cancellation)::int as late_cancelled, count(*) filter (where a.status = 'no_show')::int as no_show,
      count(*) filter (where a.source = 'chat')::int as chat, count(*) filter (where a.source = 'waitlist')::int as waitlist,
      coalesce(sum(extract(epoch from upper(a.busy) - lower(a.busy)) / 60) filter (where a.status not in ('cancelled', 'no_show')), 0)::int as minutes
    from (select distinct * from unnest((select $1::uuid[]), (select $2::date[]), (select $3::uuid[])) as key (clinic_id, date, doctor_id)) k
    left join appointments a on a.clinic_id = k.clinic_id and a.appointment_date = k.date and a.doctor_id = k.doctor_id
    group by 1, 2, 3
  ), deleted as (
    delete from analytics_days d using fresh f
    where d.clinic_id = f.clinic_id and d.date = f.date and d.doctor_id = f.doctor_id and f.appointments = 0
  )
  insert into analytics_days (clinic_id, date, doctor_id, ${SUMS})
  select f.clinic_id, f.date, f.doctor_id, ${sumsOf('f')} from fresh f left join analytics_days d using (clinic_id, date, doctor_id)
  where f.appointments > 0 and (${sumsOf('d')}) is distinct from (${sumsOf('f')})
  on conflict (clinic_id, date, doctor_id) do update set (${SUMS}) = row(${sumsOf('excluded')})`);

/** Rebuilds one sum of each date by `key`. The SQL of both refers to appointments `a`; only those that match `counted` are summed. */
const rebuildSums = (table: string, [key, keyOf]: [string, string], [sum, sumOf]: [string, string], counted: string) =>
  sql(`
  with day as (select distinct * from unnest((select $1::uuid[]), (select $2::date[])) as day (clinic_id, date)), fresh as (
    select a.clinic_id, a.appointment_date as date, ${keyOf} as ${key}, ${sumOf} as ${sum}
    from day join appointments a on a.clinic_id = day.clinic_id and a.appointment_date = day.date
    where ${counted} group by 1, 2, 3
  ), deleted as (
    delete from ${table} s using day where s.clinic_id = day.clinic_id and s.date = day.date
      and not exists (select from fresh f where f.clinic_id = s.clinic_id and f.date = s.date and f.${key} = s.${key})
  )
  insert into ${table} (clinic_id, date, ${key}, ${sum})
  select f.clinic_id, f.date, f.${key}, f.${sum} from fresh f left join ${table} s using (clinic_id, date, ${key})
  where s.${sum} is distinct from f.${sum}
  on conflict (clinic_id, date, ${key}) do update set ${sum} = excluded.${sum}`);

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

const rebuildPatientsStatement = sql<ClinicDate>(`
  with key as (select distinct * from unnest((select $1::uuid[]), (select $2::uuid[])) as key (clinic_id, patient_id)), fresh as (
    select clinic_id, patient_id, date, lag(date) over (partition by clinic_id, patient_id order by date) as previous_date
    from (
      select distinct a.clinic_id, a.patient_id, a.appointment_date as date
      from key k join appointments a on a.clinic_id = k.clinic_id and a.patient_id = k.patient_id where a.status = 'completed'
    ) seen
  ), deleted as (
    delete from analytics_patient_days d using key k where d.clinic_id = k.clinic_id and d.patient_id = k.patient_id
      and not exists (select from fresh f where f.clinic_id = d.clinic_id and f.patient_id = d.patient_id and f.date = d.date)
    returning d.clinic_id, d.date
  ), changed as (
    insert into analytics_patient_days (clinic_id, patient_id, date, previous_date)
    select f.clinic_id, f.patient_id, f.date, f.previous_date from fresh f left join analytics_patient_days d using (clinic_id, patient_id, date)
    where d.date is null or d.previous_date is distinct from f.previous_date
    on conflict (clinic_id, patient_id, date) do update set previous_date = excluded.previous_date
    returning clinic_id, date
  )
  select clinic_id as "clinicId", date from deleted union select clinic_id, date from changed`);
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
