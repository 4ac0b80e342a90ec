// Projection of appointments. Events may repeat and arrive out of order: the highest revision wins.
import { type Db, execute, readSystem, type SystemTx, sql } from '@clinic/lib/db/db.ts';
import type { AppointmentState } from '@clinic/proto/events/v1/scheduling_pb.js';

const upsertStatement = sql(`
  insert into appointments_seen as seen (clinic_id, appointment_id, appointment_date, status, timezone, revision)
  select distinct on (clinic_id, appointment_id) *
  from unnest($1::uuid[], $2::uuid[], $3::date[], $4::text[], $5::text[], $6::int[])
    as given (clinic_id, appointment_id, appointment_date, status, timezone, revision)
  order by clinic_id, appointment_id, revision desc
  on conflict (clinic_id, appointment_id) do update set
    appointment_date = excluded.appointment_date, status = excluded.status, timezone = excluded.timezone, revision = excluded.revision
  where excluded.revision > seen.revision`);

/** `clinicIds[i]` is the clinic of `appointments[i]`. */
export async function upsertAppointmentsSeen(tx: SystemTx, clinicIds: string[], appointments: AppointmentState[]): Promise<void> {
  const fields = ['appointmentId', 'appointmentDate', 'status', 'timezone', 'revision'] as const;
  await execute(tx, upsertStatement, [clinicIds, ...fields.map((field) => appointments.map((appointment) => appointment[field]))]);
}

// Uses the current zone of the clinic, or the zone of the appointment while the clinic is not known.
const ZONE = 'coalesce(c.timezone, a.timezone)';
const NEAR = `from appointments_seen a left join clinics_seen c on c.clinic_id = a.clinic_id
  where a.status <> 'cancelled' and a.appointment_date between $1::date - 1 and $1::date + 1`;

const listZonesStatement = sql<{ timezone: string }>(`select distinct ${ZONE} as timezone ${NEAR}`);

/** The zones of the appointments close to a day (YYYY-MM-DD in UTC). */
export const listZones = async (db: Db, utcDate: string) => (await readSystem(db, listZonesStatement, [utcDate])).map(({ timezone }) => timezone);

const countTodayStatement = sql<{ count: number }>(`
  select count(*)::int as count ${NEAR} and (${ZONE}, a.appointment_date) in (select * from unnest($2::text[], $3::date[]))`);

/** Counts the appointments whose date is today's in their zone. `utcDate` is today in UTC. */
export async function countToday(db: Db, utcDate: string, dates: { timezone: string; today: string }[]): Promise<number> {
  const values = [utcDate, dates.map(({ timezone }) => timezone), dates.map(({ today }) => today)];
  return (await readSystem(db, countTodayStatement, values))[0]?.count ?? 0;
}
