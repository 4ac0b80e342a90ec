// Offers a slot that becomes free to the first entry that it suits. The transaction that frees the slot also holds it by a slot draft,
// so that nobody else can book it. Locks are taken in the same order everywhere: doctor, offer, entry.
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { TenantTx } from '@clinic/lib/db/db.ts';
import { emit } from '@clinic/lib/events/outbox.ts';
import { enqueue } from '@clinic/lib/jobs/jobs.ts';
import type { CallerClinic } from '@clinic/lib/rpc/caller.ts';
import { WaitlistEntryUpdatedSchema, WaitlistOfferClosedSchema, WaitlistOfferedSchema } from '@clinic/proto/events/v1/scheduling_pb.js';
import { v7 } from 'uuid';
import { minutesOf } from '../clinics/local-day-rules.ts';
import { findDay, lockDay, toSchedule } from '../slots/doctor-day.sql.ts';
import { type Interval, isFree } from '../slots/interval-rules.ts';
import { deleteDraft, insertDraft } from '../slots/slot-drafts.sql.ts';
import { freeSlots, type Slot } from '../slots/slots-rules.ts';
import { hasWaitingEntry, lockFirstFor, type OfferedSlot, setEntryStatus, toState } from './waitlist-entries.sql.ts';
import { insertOffer, type OfferRow, type Outcome, setOutcome } from './waitlist-offers.sql.ts';

/** How long a patient may answer an offer. */
export const ANSWER_MS = 15 * 60_000;
/** An offer waits this long to be sent, for example until the quiet hours end. */
const UNSENT_MS = 12 * 3_600_000;
const MINUTE = 60_000;
export const EXPIRE_OFFER = 'expire-waitlist-offer';

type Clinic = Pick<CallerClinic, 'id' | 'timezone'>;

/** Offers the free slots of the day that overlap the freed one. Must run after the statement that frees it. */
export async function offerFreedSlot(tx: TenantTx, clinic: Clinic, freed: OfferedSlot, now: Date): Promise<void> {
  const span = spanOf(freed);
  if (span.end <= now.getTime() || !(await hasWaitingEntry(tx, freed.doctor_id, freed.appointment_date))) return;
  const [, doctor] = await Promise.all([lockDay(tx, freed.doctor_id), findDay(tx, freed.doctor_id, freed.appointment_date, clinic.timezone, now)]);
  if (!doctor?.is_active) return;
  const held: Interval[] = [];
  for (const slot of freeSlots(toSchedule(doctor), doctor.day, now.getTime())) {
    if (isFree(slot, [span]) || !isFree(slot.hold, held)) continue;
    if (await offerSlot(tx, doctor.timezone, freed, slot, now)) held.push(slot.hold);
  }
}

/** The length is computed from local times: on the day of a clock change it may be an hour too long or too short. */
function spanOf({ starts_at, start_time, end_time }: OfferedSlot): Interval {
  const minutes = (minutesOf(end_time) - minutesOf(start_time) + 24 * 60) % (24 * 60);
  return { start: starts_at.getTime(), end: starts_at.getTime() + minutes * MINUTE };
}

/** Returns whether an entry suits the slot. */
async function offerSlot(tx: TenantTx, timezone: string, { doctor_id, appointment_date }: OfferedSlot, slot: Slot, now: Date): Promise<boolean> {
  const offered: OfferedSlot = { doctor_id, appointment_date, start_time: slot.startTime, end_time: slot.endTime, starts_at: new Date(slot.start) };
  const entry = await lockFirstFor(tx, offered);
  if (!entry) return false;
  const offer: OfferRow = { ...offered, id: v7(), entry_id: entry.id, expires_at: new Date(Math.min(now.getTime() + UNSENT_MS, slot.start)) };
  await Promise.all([
    insertDraft(tx, offer, slot.hold, 'offer', null),
    insertOffer(tx, offer, now),
    changeEntry(tx, entry.id, 'waiting', { status: 'offered' }, now),
    emit(tx, tx.clinicId, WaitlistOfferedSchema, {
      entryId: entry.id,
      offerId: offer.id,
      patientId: entry.patient_id,
      doctorId: doctor_id,
      appointmentDate: appointment_date,
      startTime: offer.start_time,
      startsAt: timestampFromDate(offer.starts_at),
      expiresAt: timestampFromDate(offer.expires_at),
      timezone,
    }),
    enqueue(tx, EXPIRE_OFFER, { clinicId: tx.clinicId, offerId: offer.id }, { startAfter: offer.expires_at }),
  ]);
  return true;
}

type Change = Parameters<typeof setEntryStatus>[3];

/** Changes the status of an entry and publishes it. Undefined when the status was not `from`. */
export async function changeEntry(tx: TenantTx, id: string, from: 'waiting' | 'offered', to: Change, now: Date) {
  const entry = await setEntryStatus(tx, id, [from], to, now);
  if (entry) await emit(tx, tx.clinicId, WaitlistEntryUpdatedSchema, toState(entry));
  return entry;
}

/** Closes an offer under the lock of the doctor's calendar, releases its slot and changes its entry. False when the offer was closed before. */
export async function closeOffer(tx: TenantTx, offer: OfferRow, outcome: Outcome, to: Change, now: Date): Promise<boolean> {
  await lockDay(tx, offer.doctor_id);
  if (!(await setOutcome(tx, offer.id, outcome, now))) return false;
  const [entry] = await Promise.all([changeEntry(tx, offer.entry_id, 'offered', to, now), deleteDraft(tx, offer.id, null, 'offer')]);
  await emit(tx, tx.clinicId, WaitlistOfferClosedSchema, { entryId: offer.entry_id, offerId: offer.id, patientId: entry?.patient_id ?? '', outcome });
  return true;
}

/** Closes an offer, then offers the slot to the next entry. */
export async function passOffer(tx: TenantTx, clinic: Clinic, offer: OfferRow, outcome: Outcome, to: Change, now: Date): Promise<boolean> {
  const closed = await closeOffer(tx, offer, outcome, to, now);
  if (closed) await offerFreedSlot(tx, clinic, offer, now);
  return closed;
}
