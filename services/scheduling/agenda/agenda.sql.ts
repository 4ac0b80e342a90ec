// The agenda of a day, and who receives it by mail.
import { alphabetical } from '@clinic/lib/db/alphabetical.ts';
import { execute, row, rows, type SystemTx, sql, type TenantTx } from '@clinic/lib/db/db.ts';
import { type EmbeddedRow, REF_JOINS, REFS, type RefRow } from '../appointments/appointment-row.ts';
import { type MissingForm, missingFormsOf } from '../forms/forms.sql.ts';
import { alertsOf } from '../medical-alerts/medical-alerts.sql.ts';
import type { Range } from '../slots/interval-rules.ts';

export type AgendaDoctorRow = { id: string; full_name: string; specialty: string | null; on_vacation: boolean; hours: Range[]; breaks: Range[] };

const RANGES = (table: string) => `
  (select coalesce(json_agg(json_build_object('start_time', w.start_time, 'end_time', w.end_time)), '[]')
   from ${table} w where w.clinic_id = d.clinic_id and w.doctor_id = d.id and w.day_of_week = $3`;

const listDoctorsStatement = sql<AgendaDoctorRow>(`
  select d.id, d.full_name, d.specialty,
    exists (select from doctor_vacations v where v.clinic_id = d.clinic_id and v.doctor_id = d.id and $2::date between v.start_date and v.end_date) as on_vacation,
    ${RANGES('doctor_working_hours')} and w.is_active and d.is_active) as hours,
    ${RANGES('doctor_breaks')}) as breaks
  from doctors d
  where d.clinic_id = $1 and ($4::uuid is null or d.id = $4)
    and (d.is_active or d.id = $4
      or exists (select from appointments a where a.clinic_id = $1 and a.doctor_id = d.id and a.appointment_date = $2 and a.status <> 'cancelled'))
  order by ${alphabetical('d.full_name')}, d.id`);

/** Active doctors and those with an appointment on the date, or only `doctorId`. `weekday` is 0 (Sunday) to 6. */
export const listAgendaDoctors = (tx: TenantTx, date: string, weekday: number, doctorId: string | null) =>
  rows(tx, listDoctorsStatement, [tx.clinicId, date, weekday, doctorId]);

type Shown = 'status' | 'source' | 'notes' | 'checked_in_at' | 'patient_confirmed_at' | 'patient_name' | 'patient_phone' | 'alerts';
type Slot = 'id' | 'doctor_id' | 'patient_id' | 'appointment_date' | 'start_time' | 'end_time' | 'starts_at' | 'busy_until';
export type AgendaAppointmentRow = Pick<EmbeddedRow, Slot | Shown> & RefRow & { missing_forms: MissingForm[] };

const listAppointmentsStatement = sql<AgendaAppointmentRow>(`
  select a.id, a.doctor_id, a.patient_id, a.appointment_date, p.full_name as patient_name, p.phone as patient_phone, a.start_time, a.end_time, a.starts_at,
    upper(a.busy) as busy_until, a.status, a.source, a.notes, a.checked_in_at, a.patient_confirmed_at, a.type_id, a.resource_id, ${REFS},
    ${alertsOf('a.clinic_id', 'a.patient_id')}, ${missingFormsOf('a')}
  from appointments a join patients p on p.clinic_id = a.clinic_id and p.id = a.patient_id ${REF_JOINS}
  where a.clinic_id = $1 and a.appointment_date between $2::date - 1 and $2 and (a.appointment_date = $2 or upper(a.busy) > $4)
    and ($3::uuid is null or a.doctor_id = $3)
  order by a.starts_at, a.id`);

/** Appointments on the date, and those of the day before whose time extends beyond `midnight`, the start of the date. */
export const listAgendaAppointments = (tx: TenantTx, date: string, midnight: Date, doctorId: string | null) =>
  rows(tx, listAppointmentsStatement, [tx.clinicId, date, doctorId, midnight]);

const findSubscriptionStatement = sql<{ user_id: string }>('select user_id from agenda_subscriptions where clinic_id = $1 and user_id = $2');

export const isSubscribed = async (tx: TenantTx, userId: string) => (await row(tx, findSubscriptionStatement, [tx.clinicId, userId])) !== undefined;

const subscribeStatement = sql('insert into agenda_subscriptions (clinic_id, user_id, created_at) values ($1, $2, $3) on conflict do nothing');
const unsubscribeStatement = sql('delete from agenda_subscriptions where clinic_id = $1 and user_id = $2');

/** Whether the subscription changed. */
export async function setSubscribed(tx: TenantTx, userId: string, enabled: boolean, now: Date): Promise<boolean> {
  if (enabled) return (await execute(tx, subscribeStatement, [tx.clinicId, userId, now])) === 1;
  return (await execute(tx, unsubscribeStatement, [tx.clinicId, userId])) === 1;
}

// Mails are due from 07:00 to 12:00 of the clinic, computed for the date itself, so that clock changes are respected. A user
// who subscribes after 07:00 gets the first mail on the next day.
const insertDueStatement = sql<{ clinic_id: string; user_id: string; date: string }>(`
  with due as (
    select s.clinic_id, s.user_id, d.date
    from agenda_subscriptions s
    left join clinics c on c.clinic_id = s.clinic_id
    cross join lateral (select coalesce(c.timezone, $2) as zone) z
    cross join lateral (select ($1::timestamptz at time zone z.zone)::date as date) d
    where $1 >= (d.date + time '07:00') at time zone z.zone and $1 < (d.date + time '12:00') at time zone z.zone
      and s.created_at < (d.date + time '07:00') at time zone z.zone
      and not exists (select from agenda_mails m where m.clinic_id = s.clinic_id and m.user_id = s.user_id and m.date = d.date)
    limit $3
  )
  insert into agenda_mails (clinic_id, user_id, date, created_at) select clinic_id, user_id, date, $1 from due
  on conflict do nothing returning clinic_id, user_id, date`);

/** Records the mails of today that are due, each once, and returns them. `zone` is used for clinics whose zone is not known yet. */
export const insertDueMails = (tx: SystemTx, zone: string, now: Date, limit: number) => rows(tx, insertDueStatement, [now, zone, limit]);

const deleteStatement = sql('delete from agenda_mails where date < $1::date');

/** Deletes the records of mails before `date`. */
export const deleteMails = (tx: SystemTx, date: string) => execute(tx, deleteStatement, [date]);
