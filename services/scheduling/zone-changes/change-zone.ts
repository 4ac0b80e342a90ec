// Changes the clinic's time zone: appointments, drafts and offers keep their local times, and get the instants of these in the new zone. The projection
// and the instants change in one transaction, so that slots, bookings and appointments always agree.
import { asSystem, type Db, type SystemTx } from '@clinic/lib/db/db.ts';
import { emitAll } from '@clinic/lib/events/outbox.ts';
import { dateIn } from '@clinic/lib/formats/local-date.ts';
import { enqueue } from '@clinic/lib/jobs/jobs.ts';
import { AppointmentsUpdatedSchema } from '@clinic/proto/events/v1/scheduling_pb.js';
import { toState } from '../appointments/appointment-row.ts';
import { type ClinicPolicy, updateClinic } from '../clinics/clinics.sql.ts';
import { instantOf, type Placed, placeAppointments } from './placement-rules.ts';
import {
  listAppointments,
  listClinics,
  listDrafts,
  listOffers,
  lockCalendars,
  lockClinic,
  moveAppointments,
  moveDrafts,
  moveOffers,
  type OfferedRow,
} from './zone-changes.sql.ts';

/** The most appointments in one event. */
const CHUNK = 100;
export const MAIL_TIME_CONFLICTS = 'mail-time-conflicts';

/** Stores the zone and the policy of a clinic. Does nothing when the same or a higher revision is stored. */
export async function storeZone(tx: SystemTx, clinicId: string, timezone: string, revision: number, now: Date, policy: ClinicPolicy = {}): Promise<void> {
  const known = await lockClinic(tx, clinicId);
  if (known.revision >= revision) return;
  const moved = known.timezone === timezone ? 0 : await moveTimes(tx, clinicId, timezone, earlierDate([known.timezone, timezone], now), now);
  if (moved > 0) await enqueue(tx, MAIL_TIME_CONFLICTS, { clinicId, at: now.toISOString() });
  await updateClinic(tx, clinicId, timezone, revision, policy);
}

/** Repairs appointments of releases that retained the instants, not the local times, when a clinic's zone changed. Idempotent. */
export async function restoreLocalTimes(db: Db, now: Date, report: (line: string) => void): Promise<void> {
  let moved = 0;
  // As the system: all clinics.
  for (const { clinic_id, timezone } of await asSystem(db, listClinics))
    moved += await asSystem(db, (tx) => moveTimes(tx, clinic_id, timezone, dateIn(timezone, now), now));
  report(`appointments moved to their local times: ${moved}`);
}

const earlierDate = (zones: [string, string], now: Date): string => zones.map((zone) => dateIn(zone, now)).sort()[0] ?? '';

/** Moves appointments, drafts and offers from the date `from` on to the instants of their local times. Returns how many appointments were moved. */
async function moveTimes(tx: SystemTx, clinicId: string, timezone: string, from: string, now: Date): Promise<number> {
  await lockCalendars(tx, clinicId, from);
  const [appointments, drafts, offers] = await Promise.all([
    listAppointments(tx, clinicId, from),
    listDrafts(tx, clinicId, now),
    listOffers(tx, clinicId, from),
  ]);
  const timesOf = ({ starts_at, end_time }: Placed) => `${starts_at.getTime()} ${end_time}`;
  const before = new Map(appointments.map((appointment) => [appointment.id, timesOf(appointment)]));
  const placed = placeAppointments(appointments, from, timezone).filter((appointment) => before.get(appointment.id) !== timesOf(appointment));
  const moved = await moveAppointments(tx, clinicId, placed, now);
  const draftStarts = drafts.map((draft) => instantOf(draft, timezone));
  // Offers before the drafts of their slots, as everywhere.
  await moveOffers(tx, clinicId, offers, distinctStarts(offers, timezone));
  await moveDrafts(tx, clinicId, drafts, draftStarts);
  const states = moved.map((appointment) => toState(appointment, timezone));
  const events = Array.from({ length: Math.ceil(states.length / CHUNK) }, (_, index) => states.slice(index * CHUNK, (index + 1) * CHUNK)).map((some) => ({
    clinicId,
    init: { appointments: some },
  }));
  await emitAll(tx, AppointmentsUpdatedSchema, events);
  return moved.length;
}

/** Two local times that the clocks skip have the same instant, but the offers of one doctor's slots to one entry must start at different ones. */
function distinctStarts(offers: OfferedRow[], timezone: string): Date[] {
  const last = new Map<string, number>();
  return offers.map((offer) => {
    const key = `${offer.entry_id} ${offer.doctor_id}`;
    const start = Math.max(instantOf(offer, timezone).getTime(), (last.get(key) ?? 0) + 1);
    last.set(key, start);
    return new Date(start);
  });
}
