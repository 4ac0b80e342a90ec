// A doctor's weekly hours, vacations and upcoming appointments: for the availability of a month, and for appointments outside of changed hours.
import type { MessageInitShape } from '@bufbuild/protobuf';
import { type Db, getRow, readTenant, rows, sql, type TenantTx } from '@clinic/lib/db/db.ts';
import { toFields } from '@clinic/lib/formats/to-fields.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import type { AppointmentConflictSchema } from '@clinic/proto/scheduling/v1/doctor_pb.js';
import { NIL } from 'uuid';
import { localDay } from '../clinics/local-day-rules.ts';
import type { Except, Span } from '../resources/resources.sql.ts';
import { type Booked, type Timetable, uncovered } from './coverage-rules.ts';
import { busyUntil, type DayRow, inStoredZone, LONGEST_HOLD_MS } from './doctor-day.sql.ts';
import { ENDS_AT } from './ends-at.sql.ts';
import { datesOf } from './month-rules.ts';

/** The columns of a Timetable, with the vacations that end on `since` or later. The arguments are SQL. */
export function timetableOf(clinic: string, doctor: string, since: string): string {
  const weekly = (table: string) => `
  (select coalesce(json_agg(json_build_object('day_of_week', w.day_of_week, 'start_time', w.start_time, 'end_time', w.end_time)), '[]')
   from ${table} w where w.clinic_id = ${clinic} and w.doctor_id = ${doctor}`;
  return `${weekly('doctor_working_hours')} and w.is_active) as hours, ${weekly('doctor_breaks')}) as breaks,
  (select coalesce(json_agg(json_build_object('start_date', v.start_date, 'end_date', v.end_date)), '[]')
   from doctor_vacations v where v.clinic_id = ${clinic} and v.doctor_id = ${doctor} and v.end_date >= ${since}) as vacations`;
}
const TIMETABLE = timetableOf('$1', '$2', '$3::date');

const findTimetable = sql<Timetable>(`select ${TIMETABLE}`);

/** An appointment outside of the doctor's hours. */
export type Conflict = MessageInitShape<typeof AppointmentConflictSchema>;

type UpcomingRow = Booked & { id: string; patient_id: string; patient_name: string; end_time: string };

const listUpcoming = sql<UpcomingRow>(`
  select a.id, a.patient_id, p.full_name as patient_name, a.appointment_date, a.start_time, a.end_time, a.starts_at, ${ENDS_AT} as ends_at
  from appointments a join patients p on p.clinic_id = a.clinic_id and p.id = a.patient_id
  where a.clinic_id = $1 and a.doctor_id = $2 and a.appointment_date >= $3::date and a.starts_at > $4 and a.status in ('confirmed', 'pending')
  order by a.starts_at`);

/** Upcoming appointments outside of the doctor's hours, as the transaction sees them. `today` is the date in `zone`. */
export async function listConflicts(tx: TenantTx, doctorId: string, zone: string, today: string, now: Date): Promise<Conflict[]> {
  const [timetable, appointments] = await Promise.all([
    getRow(tx, findTimetable, [tx.clinicId, doctorId, today]),
    rows(tx, listUpcoming, [tx.clinicId, doctorId, today, now]),
  ]);
  return uncovered(appointments, timetable, zone).map((appointment) => ({
    ...toFields(appointment),
    appointmentId: appointment.id,
  }));
}

type MonthRow = Timetable & Pick<DayRow, 'timezone' | 'is_active' | 'consultation_duration_minutes' | 'buffer_time_minutes' | 'busy'>;

const monthStatement = sql<MonthRow>(`
  select (select c.timezone from clinics c where c.clinic_id = $1) as timezone, d.is_active, d.consultation_duration_minutes, d.buffer_time_minutes, ${TIMETABLE}, ${busyUntil('$3::date + 32')}
  from doctors d where d.clinic_id = $1 and d.id = $2`);

/** The days of a month, and the instants that their holds can reach. */
export function monthSpan(month: string, zone: string): Span {
  const dates = datesOf(month);
  const [first, last] = [dates[0] as string, dates.at(-1) as string]; // a month has days
  return { first, last, start: new Date(localDay(zone, first).start), end: new Date(localDay(zone, last).end + LONGEST_HOLD_MS) };
}

/**
 * What decides the free slots of a month (YYYY-MM) in the stored zone of the clinic; `zone` is its likely one. Undefined when the clinic has no such
 * doctor, or `doctorId` is not a UUID.
 */
export async function findMonth(
  db: Db,
  clinicId: string,
  doctorId: string,
  month: string,
  zone: string,
  now: Date,
  { appointmentId = NIL }: Pick<Except, 'appointmentId'>,
) {
  if (!isUuid(doctorId)) return undefined;
  return inStoredZone(zone, async (guess) => {
    const { first, start, end } = monthSpan(month, guess);
    return (await readTenant(db, clinicId, monthStatement, [clinicId, doctorId, first, start, end, now, appointmentId, NIL]))[0];
  });
}
