// Everything that decides the slots of a doctor's day, in one statement, and the lock of a doctor's calendar.
import { type Db, execute, readTenant, row, sql, type TenantTx } from '@clinic/lib/db/db.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { NIL } from 'uuid';
import { type LocalDay, localDay } from '../clinics/local-day-rules.ts';
import type { Except, Span } from '../resources/resources.sql.ts';
import type { Range } from './interval-rules.ts';
import type { Schedule } from './slots-rules.ts';

export type DayRow = {
  /** The clinic's zone; null while the clinic is not stored yet. */
  timezone: string | null;
  full_name: string;
  specialty: string | null;
  is_active: boolean;
  consultation_duration_minutes: number;
  buffer_time_minutes: number;
  on_vacation: boolean;
  hours: Range[];
  breaks: Range[];
  /** Epoch milliseconds, and whether it is the appointment that is moved. */
  busy: [start: number, end: number, moves: boolean][];
};

// `no key` lets other transactions insert rows that refer to the doctor meanwhile.
// The array comes from a subselect, so that the statement is planned once: a plan for a short array always looks cheaper than one for any array.
const lockStatement = sql('select from doctors where clinic_id = $1 and id = any((select $2::uuid[])::uuid[]) order by id for no key update');

/** Locks the calendars of doctors until the transaction ends. Everything that takes or frees a slot of a doctor holds this lock; several are taken in the order of their ids. */
export const lockDay = (tx: TenantTx, ...doctorIds: string[]) => execute(tx, lockStatement, [tx.clinicId, doctorIds]);

// The condition on the date is for its index: under row-level security no index serves an operator that is not leakproof, such as
// &&. `status not in` keeps the planner from the index of the constraint appointments_no_overlap, which reads all appointments the
// doctor ever had (348 against 144 µs with a million appointments).
/**
 * The column `busy` of a DayRow. $1 clinic, $2 doctor, $3 first date, $4 and $5 first and last instant that holds can reach, $6 now, $7 an appointment that is
 * moved and $8 a draft to ignore. `last` is SQL: the date after the last one.
 */
export const busyUntil = (last: string) => `
    (select coalesce(json_agg(json_build_array(extract(epoch from lower(taken.busy)) * 1000, extract(epoch from upper(taken.busy)) * 1000, taken.moves)), '[]')
     from (
       select a.busy, a.id = $7 as moves from appointments a
       where a.clinic_id = $1 and a.doctor_id = $2 and a.appointment_date between $3::date - 1 and ${last}
         and a.busy && tstzrange($4, $5) and a.status not in ('completed', 'cancelled', 'no_show')
       union all
       select s.busy, false from slot_drafts s
       where s.clinic_id = $1 and s.doctor_id = $2 and s.busy && tstzrange($4, $5) and s.expires_at > $6 and s.id <> $8
     ) taken) as busy`;

// As for busyUntil(), and $9 weekday.
const dayStatement = sql<DayRow>(`
  select (select c.timezone from clinics c where c.clinic_id = $1) as timezone, d.full_name, d.specialty, d.is_active, d.consultation_duration_minutes, d.buffer_time_minutes,
    exists (select from doctor_vacations v where v.clinic_id = $1 and v.doctor_id = $2 and $3::date between v.start_date and v.end_date) as on_vacation,
    (select coalesce(json_agg(json_build_object('start_time', h.start_time, 'end_time', h.end_time)), '[]')
     from doctor_working_hours h where h.clinic_id = $1 and h.doctor_id = $2 and h.day_of_week = $9 and h.is_active) as hours,
    (select coalesce(json_agg(json_build_object('start_time', b.start_time, 'end_time', b.end_time)), '[]')
     from doctor_breaks b where b.clinic_id = $1 and b.doctor_id = $2 and b.day_of_week = $9) as breaks, ${busyUntil('$3::date + 1')}
  from doctors d where d.clinic_id = $1 and d.id = $2`);

/** A consultation of 8 hours with a buffer of 4 that starts at the end of the day. */
export const LONGEST_HOLD_MS = 12 * 3_600_000;

/** A day, and the instants that its holds can reach. */
export const spanOf = (day: LocalDay, date: string): Span => ({
  first: date,
  last: date,
  start: new Date(day.start),
  end: new Date(day.end + LONGEST_HOLD_MS),
});

/** Also run by benchmarks. */
export function dayQuery(clinicId: string, doctorId: string, date: string, day: LocalDay, now: Date, except: Except = {}) {
  const { start, end } = spanOf(day, date);
  return { statement: dayStatement, values: [clinicId, doctorId, date, start, end, now, except.appointmentId ?? NIL, except.draftId ?? NIL, day.weekday] };
}

/** `day` is the local day in the clinic's zone. */
export type DoctorDay = DayRow & { day: LocalDay; timezone: string };

/** The doctor's day in the stored zone of the clinic. `zone` is its likely one, which saves a statement. Undefined when the clinic has no such doctor. */
export function findDay(tx: TenantTx, doctorId: string, date: string, zone: string, now: Date, except: Except = {}): Promise<DoctorDay | undefined> {
  return inStoredZone(zone, (guess) => {
    const day = localDay(guess, date);
    const { statement, values } = dayQuery(tx.clinicId, doctorId, date, day, now, except);
    return row(tx, statement, values).then((found) => found && { ...found, day });
  });
}

/** findDay outside of a transaction. Undefined also when `doctorId` is not a UUID. */
export async function findDoctorDay(
  db: Db,
  clinicId: string,
  doctorId: string,
  date: string,
  zone: string,
  now: Date,
  except: Except,
): Promise<DoctorDay | undefined> {
  if (!isUuid(doctorId)) return undefined;
  return inStoredZone(zone, async (guess) => {
    const day = localDay(guess, date);
    const { statement, values } = dayQuery(clinicId, doctorId, date, day, now, except);
    const [found] = await readTenant(db, clinicId, statement, values);
    return found && { ...found, day };
  });
}

/** Reads with the likely zone, and again if the clinic is stored with another one. */
export async function inStoredZone<R extends { timezone: string | null }>(
  zone: string,
  read: (zone: string) => Promise<R | undefined>,
): Promise<(R & { timezone: string }) | undefined> {
  const found = await read(zone);
  if (!found) return undefined;
  return found.timezone === null || found.timezone === zone ? { ...found, timezone: zone } : inStoredZone(found.timezone, read);
}

export function toSchedule(day: DayRow): Schedule {
  return {
    consultationMinutes: day.consultation_duration_minutes,
    bufferMinutes: day.buffer_time_minutes,
    hours: day.hours,
    breaks: day.breaks,
    onVacation: day.on_vacation,
    ...toBusy(day),
  };
}

export function toBusy({ busy }: Pick<DayRow, 'busy'>): Pick<Schedule, 'busy' | 'moved'> {
  const intervals = busy.map(([start, end, moves]) => ({ start, end, moves }));
  return { busy: intervals.filter(({ moves }) => !moves), moved: intervals.find(({ moves }) => moves) };
}
