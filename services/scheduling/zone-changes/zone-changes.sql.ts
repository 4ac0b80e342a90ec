// The appointments, slot drafts and waitlist offers that a change of the clinic's time zone moves. As the system, because an event starts the change.
import { execute, getRow, rows, type SystemTx, sql } from '@clinic/lib/db/db.ts';
import { qualified } from '@clinic/lib/db/qualified.ts';
import { type AppointmentState, STATE_COLUMNS } from '../appointments/appointment-row.ts';
import { lockComplete } from '../appointments/lock-complete.ts';
import { FIRST_REVISION } from '../clinics/clinics.sql.ts';
import { SHOWN_LENGTH } from '../slots/ends-at.sql.ts';
import type { Placed } from './placement-rules.ts';

/** The zone in which the date is earliest. */
const WESTERNMOST = 'Etc/GMT+12';

const ensureClinicStatement = sql('insert into clinics (clinic_id, timezone, revision) values ($1, $2, $3) on conflict do nothing');
const lockClinicStatement = sql<{ timezone: string; revision: number }>('select timezone, revision from clinics where clinic_id = $1 for update');

/**
 * Locks the zone of a clinic. A clinic that is not stored yet gets the westernmost zone, since its appointments are booked in a zone that only identity
 * knows, and a row, so that of two first events the second waits for the first.
 */
export async function lockClinic(tx: SystemTx, clinicId: string) {
  await execute(tx, ensureClinicStatement, [clinicId, WESTERNMOST, FIRST_REVISION - 1]);
  return getRow(tx, lockClinicStatement, [clinicId]);
}

const listClinicsStatement = sql<{ clinic_id: string; timezone: string }>('select clinic_id, timezone from clinics order by clinic_id');

export const listClinics = (tx: SystemTx) => rows(tx, listClinicsStatement);

// Appointments first, then doctors, as everywhere. Bookings read the zone under the doctor's lock.
const UPCOMING = 'from appointments where clinic_id = $1 and appointment_date >= $2::date';
const lockAppointmentsStatement = sql<{ id: string }>(`select id ${UPCOMING} order by id for update`);
const lockDoctorsStatement = sql('select from doctors where clinic_id = $1 order by id for no key update');
// What was booked meanwhile is locked without waiting, which would be out of order. Rarely is one of them locked by others already. To lock all
// appointments again takes longer than the next booking, so that a change would not end while bookings follow each other.
const lockOthersStatement = sql<{ complete: boolean }>(`
  with locked as (select ${UPCOMING} and id <> all($3) for update skip locked)
  select (select count(*) from locked) = (select count(*) ${UPCOMING} and id <> all($3)) as complete`);

/** Prevents others from occupying, freeing or moving slots of the clinic before the transaction ends. */
export const lockCalendars = (tx: SystemTx, clinicId: string, from: string) =>
  lockComplete(tx, async () => {
    const locked = await rows(tx, lockAppointmentsStatement, [clinicId, from]);
    await execute(tx, lockDoctorsStatement, [clinicId]);
    return (await getRow(tx, lockOthersStatement, [clinicId, from, locked.map(({ id }) => id)])).complete;
  });

// More between the local times than the appointment occupies: the clocks change in between.
const listAppointmentsStatement = sql<Placed>(`
  select a.id, a.doctor_id, a.resource_id, a.appointment_date, a.start_time, a.end_time, a.starts_at, upper(a.busy) as busy_until,
    a.status in ('confirmed', 'pending') as is_active,
    coalesce(a.duration_minutes, case when a.starts_at + ${SHOWN_LENGTH} <= upper(a.busy) then extract(epoch from ${SHOWN_LENGTH}) / 60
      else least(d.consultation_duration_minutes, extract(epoch from upper(a.busy) - a.starts_at) / 60) end)::int as minutes
  from appointments a join doctors d on d.clinic_id = a.clinic_id and d.id = a.doctor_id
  where a.clinic_id = $1 and a.appointment_date >= $2::date - 1
  order by a.appointment_date, a.start_time, a.created_at, a.id`);

/** Appointments from the day before `from` on, in the order of their local times. */
export const listAppointments = (tx: SystemTx, clinicId: string, from: string) => rows(tx, listAppointmentsStatement, [clinicId, from]);

// The exclusion constraint is checked row by row, so all appointments are first set aside, to free the times that others of them will occupy.
const FAR = `interval '1000 years'`;
const setAsideStatement = sql(`
  update appointments set starts_at = starts_at + ${FAR}, busy = tstzrange(lower(busy) + ${FAR}, upper(busy) + ${FAR}) where clinic_id = $1 and id = any($2)`);
const moveAppointmentsStatement = sql<AppointmentState>(`
  update appointments a set starts_at = m.starts_at, busy = tstzrange(m.starts_at, m.busy_until), end_time = m.end_time, updated_at = $6,
    revision = a.revision + 1
  from unnest($2::uuid[], $3::timestamptz[], $4::timestamptz[], $5::time[]) as m (id, starts_at, busy_until, end_time)
  where a.clinic_id = $1 and a.id = m.id
  returning ${qualified(STATE_COLUMNS, 'a')}`);

export async function moveAppointments(tx: SystemTx, clinicId: string, moved: Placed[], now: Date): Promise<AppointmentState[]> {
  const ids = moved.map(({ id }) => id);
  await execute(tx, setAsideStatement, [clinicId, ids]);
  const columns = [moved.map(({ starts_at }) => starts_at), moved.map(({ busy_until }) => busy_until), moved.map(({ end_time }) => end_time)];
  return rows(tx, moveAppointmentsStatement, [clinicId, ids, ...columns, now]);
}

type TimedRow = { id: string; appointment_date: string; start_time: string };

const listDraftsStatement = sql<TimedRow>('select id, appointment_date, start_time from slot_drafts where clinic_id = $1 and expires_at > $2');
const moveDraftsStatement = sql(`
  update slot_drafts s set busy = tstzrange(m.starts_at, m.starts_at + (upper(s.busy) - lower(s.busy)))
  from unnest($2::uuid[], $3::timestamptz[]) as m (id, starts_at) where s.clinic_id = $1 and s.id = m.id`);

export const listDrafts = (tx: SystemTx, clinicId: string, now: Date) => rows(tx, listDraftsStatement, [clinicId, now]);

export const moveDrafts = (tx: SystemTx, clinicId: string, drafts: TimedRow[], starts: Date[]) =>
  execute(tx, moveDraftsStatement, [clinicId, drafts.map(({ id }) => id), starts]);

export type OfferedRow = TimedRow & { entry_id: string; doctor_id: string };

const listOffersStatement = sql<OfferedRow>(`
  select id, entry_id, doctor_id, appointment_date, start_time from waitlist_offers where clinic_id = $1 and appointment_date >= $2::date
  order by appointment_date, start_time, id`);
// Unique by entry, doctor and start: the same detour as for appointments.
const setOffersAsideStatement = sql(`update waitlist_offers set starts_at = starts_at + ${FAR} where clinic_id = $1 and id = any($2)`);
const moveOffersStatement = sql(`
  update waitlist_offers o set starts_at = m.starts_at, expires_at = case when o.status = 'open' then least(o.expires_at, m.starts_at) else o.expires_at end
  from unnest($2::uuid[], $3::timestamptz[]) as m (id, starts_at) where o.clinic_id = $1 and o.id = m.id`);

/** Offers, open and closed: a slot is not offered twice to one patient. */
export const listOffers = (tx: SystemTx, clinicId: string, from: string) => rows(tx, listOffersStatement, [clinicId, from]);

export async function moveOffers(tx: SystemTx, clinicId: string, offers: TimedRow[], starts: Date[]): Promise<void> {
  const ids = offers.map(({ id }) => id);
  await execute(tx, setOffersAsideStatement, [clinicId, ids]);
  await execute(tx, moveOffersStatement, [clinicId, ids, starts]);
}
