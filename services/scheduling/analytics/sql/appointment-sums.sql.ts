// Sums of appointments by day, rebuilt for single days from the appointments.
import { execute, rows, type SystemTx, sql } from '@clinic/lib/db/db.ts';

/** A date of a doctor. */
export type DoctorDay = { date: string; doctorId: string };

const KEYS = '(select distinct date, doctor_id from unnest($2::date[], $3::uuid[]) as key (date, doctor_id)) k';

const deleteDaysStatement = sql(`
  delete from analytics_days d using ${KEYS} where d.clinic_id = $1 and d.date = k.date and d.doctor_id = k.doctor_id`);
const insertDaysStatement = sql(`
  insert into analytics_days (clinic_id, date, doctor_id, confirmed, pending, completed, cancelled, no_show, chat, waitlist, minutes)
  select a.clinic_id, a.appointment_date, a.doctor_id,
    count(*) filter (where a.status = 'confirmed'), count(*) filter (where a.status = 'pending'), count(*) filter (where a.status = 'completed'),
    count(*) filter (where a.status = 'cancelled'), count(*) filter (where a.status = 'no_show'),
    count(*) filter (where a.source = 'chat'), count(*) filter (where a.source = 'waitlist'),
    coalesce(sum(extract(epoch from upper(a.busy) - lower(a.busy)) / 60) filter (where a.status not in ('cancelled', 'no_show')), 0)
  from appointments a join ${KEYS} on a.appointment_date = k.date and a.doctor_id = k.doctor_id
  where a.clinic_id = $1
  group by a.clinic_id, a.appointment_date, a.doctor_id`);

const deleteHoursStatement = sql('delete from analytics_hours where clinic_id = $1 and date = any($2)');
// plain-words: visits is a stored column
const insertHoursStatement = sql(`insert into analytics_hours (clinic_id, date, hour, visits)
  select a.clinic_id, a.appointment_date, extract(hour from a.start_time), count(*) from appointments a
  where a.clinic_id = $1 and a.appointment_date = any($2) and a.status <> 'cancelled'
  group by 1, 2, 3`);

export async function rebuildAppointmentDays(tx: SystemTx, clinicId: string, days: DoctorDay[]): Promise<void> {
  if (days.length === 0) return;
  const [dates, doctors] = [days.map(({ date }) => date), days.map(({ doctorId }) => doctorId)];
  const distinctDates = [...new Set(dates)];
  await Promise.all([
    execute(tx, deleteDaysStatement, [clinicId, dates, doctors]),
    execute(tx, insertDaysStatement, [clinicId, dates, doctors]),
    execute(tx, deleteHoursStatement, [clinicId, distinctDates]),
    execute(tx, insertHoursStatement, [clinicId, distinctDates]),
  ]);
}

const deletePatientsStatement = sql<{ date: string }>('delete from analytics_patient_days where clinic_id = $1 and patient_id = any($2) returning date');
const insertPatientsStatement = sql<{ date: string }>(`
  insert into analytics_patient_days (clinic_id, patient_id, date, previous_date)
  select clinic_id, patient_id, date, lag(date) over (partition by patient_id order by date)
  from (
    select distinct clinic_id, patient_id, appointment_date as date from appointments
    where clinic_id = $1 and patient_id = any($2) and status = 'completed'
  ) seen
  returning date`);
const deleteSeenStatement = sql('delete from analytics_seen_days where clinic_id = $1 and date = any($2)');
const insertSeenStatement = sql(`
  insert into analytics_seen_days (clinic_id, date, previous_month, patients)
  select clinic_id, date, date_trunc('month', previous_date)::date, count(*) from analytics_patient_days
  where clinic_id = $1 and date = any($2) group by 1, 2, 3`);

export async function rebuildPatientDays(tx: SystemTx, clinicId: string, patientIds: string[]): Promise<void> {
  if (patientIds.length === 0) return;
  const [deleted, inserted] = await Promise.all([
    rows(tx, deletePatientsStatement, [clinicId, patientIds]),
    rows(tx, insertPatientsStatement, [clinicId, patientIds]),
  ]);
  const dates = [...new Set([...deleted, ...inserted].map(({ date }) => date))];
  await Promise.all([execute(tx, deleteSeenStatement, [clinicId, dates]), execute(tx, insertSeenStatement, [clinicId, dates])]);
}

const listDaysStatement = sql<{ date: string; doctor_id: string }>(`
  select distinct appointment_date as date, doctor_id from appointments where clinic_id = $1 order by 1, 2`);

/** All dates of doctors that have appointments. */
export async function listDoctorDays(tx: SystemTx, clinicId: string): Promise<DoctorDay[]> {
  return (await rows(tx, listDaysStatement, [clinicId])).map(({ date, doctor_id }) => ({ date, doctorId: doctor_id }));
}

const listSeenStatement = sql<{ patient_id: string }>(`
  select distinct patient_id from appointments where clinic_id = $1 and status = 'completed'`);

/** All patients with a completed appointment. */
export async function listSeenPatients(tx: SystemTx, clinicId: string): Promise<string[]> {
  return (await rows(tx, listSeenStatement, [clinicId])).map(({ patient_id }) => patient_id);
}
