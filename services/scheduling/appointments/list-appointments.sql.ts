// Lists of appointments.
import { type Db, readTenant, type Statement, sql } from '@clinic/lib/db/db.ts';
import { readPage } from '@clinic/lib/db/read-page.ts';
import { addDays } from '@clinic/lib/formats/local-date.ts';
import { localDay, minutesOf } from '../clinics/local-day-rules.ts';
import { remainingOf } from '../patient-records/records.sql.ts';
import { OWNER_OF_PHONE } from '../patients/sql/patients.sql.ts';
import { EMBEDDED, type EmbeddedRow, JOINS } from './appointment-row.ts';

/** The condition for each field of a filter; `?` is its value. */
const CONDITIONS = {
  date: 'a.appointment_date = ?',
  start: 'a.appointment_date >= ?',
  end: 'a.appointment_date <= ?',
  status: 'a.status = ?',
  doctorId: 'a.doctor_id = ?',
  source: 'a.source = ?',
  patientId: `a.patient_id = ${remainingOf('$1', '?')}`,
  typeId: 'a.type_id = ?',
  resourceId: 'a.resource_id = ?',
  seriesId: 'a.series_id = ?',
  lateCancellation: 'a.late_cancellation = ?',
  updatedSince: 'a.updated_at >= ?',
  cancelled: `(a.status = 'cancelled') = ?`,
  weekday: 'extract(dow from a.appointment_date) = ?',
  hour: 'extract(hour from a.start_time) = ?',
};
const FILTERED = Object.keys(CONDITIONS) as (keyof typeof CONDITIONS)[];

type AppointmentFilter = { [K in keyof typeof CONDITIONS]?: string | Date | boolean | number | undefined } & {
  /** Only the appointments `ids`, which findTimeConflicts() returned; or, if not `wanted`, only the others. */
  timeConflict?: { wanted: boolean; ids: string[] } | undefined;
};

/** By start, or the latest first. */
type Sort = 'start' | '-start';
export const SORTS: readonly Sort[] = ['start', '-start'];

const pages = new Map<string, Statement<EmbeddedRow & { total: number }>>();

export function listAppointments(db: Db, clinicId: string, filter: AppointmentFilter, limit: number, offset: number, sort: Sort) {
  const { statement, values } = appointmentsPage(clinicId, filter, limit, offset, sort);
  return readPage(db, clinicId, statement, values);
}

/** Each combination of filters is a statement with a plan of its own. Also run by benchmarks. */
export function appointmentsPage(clinicId: string, filter: AppointmentFilter, limit: number, offset: number, sort: Sort = 'start') {
  const values: unknown[] = [clinicId, limit, offset];
  const parameter = (value: unknown) => `$${values.push(value)}`;
  const conditions = ['a.clinic_id = $1'];
  for (const field of FILTERED) if (filter[field] !== undefined) conditions.push(CONDITIONS[field].replace('?', parameter(filter[field])));
  if (filter.timeConflict) {
    const { wanted, ids } = filter.timeConflict;
    conditions.push(`${wanted ? '' : 'not '}a.id = any(${parameter(ids)}::uuid[])`);
  }
  const where = conditions.join(' and ');
  const direction = sort === 'start' ? 'asc' : 'desc';
  const order = ['appointment_date', 'start_time', 'id'].map((column) => `a.${column} ${direction}`).join(', ');
  const name = `${where} order by ${order}`;
  const statement =
    pages.get(name) ??
    sql<EmbeddedRow & { total: number }>(`
    select counted.total, page.* from (select count(*)::int as total from appointments a where ${where}) counted
    left join lateral (
      select ${EMBEDDED} from appointments a ${JOINS} where ${where} order by ${order} limit $2 offset $3
    ) page on true`);
  pages.set(name, statement);
  return { statement, values };
}

type Times = { id: string; appointment_date: string; start_time: string; starts_at: Date };

// The date, so that the index on it is used.
const listTimesStatement = sql<Times>(`
  select id, appointment_date, start_time, starts_at from appointments
  where clinic_id = $1 and appointment_date >= $2 and starts_at > $3 and status in ('confirmed', 'pending')`);

/** The ids of upcoming appointments that do not begin at their local time in the zone. Not compared by the database, whose rules of the zone may be older than Node's. */
export async function findTimeConflicts(db: Db, clinicId: string, zone: string, now: Date): Promise<string[]> {
  const upcoming = await readTenant(db, clinicId, listTimesStatement, [clinicId, addDays(now.toISOString().slice(0, 10), -1), now]);
  const begins = ({ appointment_date, starts_at }: Times) => localDay(zone, appointment_date).clockAt(starts_at.getTime());
  return upcoming.filter((appointment) => begins(appointment) !== minutesOf(appointment.start_time)).map(({ id }) => id);
}

const listUpcomingStatement = sql<EmbeddedRow>(`
  with owner as (${OWNER_OF_PHONE})
  select ${EMBEDDED} from appointments a ${JOINS}
  where a.clinic_id = $1 and a.starts_at > $3 and a.status in ('confirmed', 'pending') and a.patient_id in (
    select id from owner union all select c.id from owner o join patients c on c.clinic_id = $1 and c.guardian_id = o.id)
  order by a.starts_at, a.id limit $4`);

/** Upcoming appointments of the patient who has the phone, or whose merged record has it, and of the patient's dependants. */
export const listUpcoming = (db: Db, clinicId: string, phone: string, now: Date, limit: number) =>
  readTenant(db, clinicId, listUpcomingStatement, [clinicId, phone, now, limit]);

const countChatBookingsStatement = sql<{ count: number }>(`
  select count(*)::int as count from appointments where clinic_id = $1 and source = 'chat' and created_at >= $2`);

export const countChatBookings = async (db: Db, clinicId: string, since: Date) =>
  (await readTenant(db, clinicId, countChatBookingsStatement, [clinicId, since]))[0]?.count ?? 0;
