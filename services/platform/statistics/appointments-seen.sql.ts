// What events have told of appointments. Events may repeat and overtake each other: the highest revision wins.
import { execute, type SystemTx, sql } from '@clinic/lib/db/db.ts';
import type { AppointmentState } from '@clinic/proto/events/v1/scheduling_pb.js';

export type AppointmentSeen = { clinic_id: string; appointment_id: string; appointment_date: string; status: string; timezone: string; revision: number };

export function toSeen(state: AppointmentState, clinicId: string): AppointmentSeen {
  return {
    clinic_id: clinicId,
    appointment_id: state.appointmentId,
    appointment_date: state.appointmentDate,
    status: state.status,
    timezone: state.timezone,
    revision: state.revision,
  };
}

const upsertStatement = sql(`
  insert into appointments_seen as seen (clinic_id, appointment_id, appointment_date, status, timezone, revision)
  values ($1, $2, $3, $4, $5, $6)
  on conflict (clinic_id, appointment_id) do update set
    appointment_date = excluded.appointment_date, status = excluded.status, timezone = excluded.timezone, revision = excluded.revision
  where excluded.revision > seen.revision`);

export async function upsertAppointmentSeen(tx: SystemTx, appointment: AppointmentSeen): Promise<void> {
  const { clinic_id, appointment_id, appointment_date, status, timezone, revision } = appointment;
  await execute(tx, upsertStatement, [clinic_id, appointment_id, appointment_date, status, timezone, revision]);
}

// A clinic that moves takes its today along; until its registration is heard of, the appointment tells the zone.
const ZONE = 'coalesce(c.timezone, a.timezone)';
const NEAR = `from appointments_seen a left join clinics_seen c on c.clinic_id = a.clinic_id
  where a.status <> 'cancelled' and a.appointment_date between $1::date - 1 and $1::date + 1`;

/** The zones that appointments around a day ($1, YYYY-MM-DD in UTC) are in. */
export const listZonesStatement = sql<{ timezone: string }>(`select distinct ${ZONE} as timezone ${NEAR}`);

/** $1 the day in UTC, $2 zones and $3 the date that each of them has now. Always one row. */
export const countTodayStatement = sql<{ count: number }>(`
  select count(*)::int as count ${NEAR} and (${ZONE}, a.appointment_date) in (select * from unnest($2::text[], $3::date[]))`);
