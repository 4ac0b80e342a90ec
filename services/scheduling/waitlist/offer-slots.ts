// A slot that becomes free is held for the first who waits for it, in the transaction that frees it, so that nobody comes
// in between. Locks are taken in one order: doctor, offer, entry.
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { TenantTx } from '@clinic/lib/db/db.ts';
import { emit } from '@clinic/lib/events/outbox.ts';
import { enqueue } from '@clinic/lib/jobs/jobs.ts';
import type { CallerClinic } from '@clinic/lib/rpc/caller.ts';
import { WaitlistEntryUpdatedSchema, WaitlistOfferClosedSchema, WaitlistOfferedSchema } from '@clinic/proto/events/v1/scheduling_pb.js';
import { v7 } from 'uuid';
import { localDay, minutesOf } from '../clinics/local-day-rules.ts';
import { findDay, lockDay, toSchedule } from '../slots/doctor-day.sql.ts';
import { type Interval, isFree } from '../slots/interval-rules.ts';
import { deleteDraft, insertDraft } from '../slots/slot-drafts.sql.ts';
import { freeSlots, type Slot } from '../slots/slots-rules.ts';
import { isWaitedFor, lockFirstFor, moveEntry, type OfferedSlot, toState } from './waitlist-entries.sql.ts';
import { insertOffer, type OfferRow, type Outcome, setOutcome } from './waitlist-offers.sql.ts';

const HOLD_MS = 15 * 60_000;
const MINUTE = 60_000;
export const EXPIRE_OFFER = 'expire-waitlist-offer';

type Clinic = Pick<CallerClinic, 'id' | 'timezone'>;

/** Offers what is free of a doctor's day where something was freed. Comes after the statement that frees it. */
export async function offerFreed(tx: TenantTx, clinic: Clinic, freed: OfferedSlot, now: Date): Promise<void> {
  const span = spanOf(freed);
  if (span.end <= now.getTime() || !(await isWaitedFor(tx, freed.doctor_id, freed.appointment_date))) return;
  const day = localDay(clinic.timezone, freed.appointment_date);
  const [, doctor] = await Promise.all([lockDay(tx, freed.doctor_id), findDay(tx, freed.doctor_id, freed.appointment_date, day, now)]);
  if (!doctor?.is_active) return;
  const held: Interval[] = [];
  for (const slot of freeSlots(toSchedule(doctor), day, now.getTime())) {
    if (isFree(slot, [span]) || !isFree(slot.hold, held)) continue;
    if (await offerSlot(tx, clinic, freed, slot, now)) held.push(slot.hold);
  }
}

/** Local times a day apart are taken as they stand: the hour of a clock change makes a freed span an hour longer or shorter. */
function spanOf({ starts_at, start_time, end_time }: OfferedSlot): Interval {
  const minutes = (minutesOf(end_time) - minutesOf(start_time) + 24 * 60) % (24 * 60);
  return { start: starts_at.getTime(), end: starts_at.getTime() + minutes * MINUTE };
}

/** Whether somebody waits for it. */
async function offerSlot(tx: TenantTx, clinic: Clinic, { doctor_id, appointment_date }: OfferedSlot, slot: Slot, now: Date): Promise<boolean> {
  const offered: OfferedSlot = { doctor_id, appointment_date, start_time: slot.startTime, end_time: slot.endTime, starts_at: new Date(slot.start) };
  const entry = await lockFirstFor(tx, offered);
  if (!entry) return false;
  const offer: OfferRow = { ...offered, id: v7(), entry_id: entry.id, expires_at: new Date(Math.min(now.getTime() + HOLD_MS, slot.start)) };
  await Promise.all([
    insertDraft(tx, offer, slot.hold, 'offer'),
    insertOffer(tx, offer, now),
    changeEntry(tx, entry.id, 'waiting', { status: 'offered' }, now),
    emit(tx, clinic.id, WaitlistOfferedSchema, {
      entryId: entry.id,
      offerId: offer.id,
      patientId: entry.patient_id,
      doctorId: doctor_id,
      appointmentDate: appointment_date,
      startTime: offer.start_time,
      startsAt: timestampFromDate(offer.starts_at),
      expiresAt: timestampFromDate(offer.expires_at),
      timezone: clinic.timezone,
    }),
    enqueue(tx, EXPIRE_OFFER, { clinicId: clinic.id, offerId: offer.id }, { startAfter: offer.expires_at }),
  ]);
  return true;
}

type Change = Parameters<typeof moveEntry>[3];

/** Moves an entry on and tells of it. Undefined when it was not in the status `from`. */
export async function changeEntry(tx: TenantTx, id: string, from: 'waiting' | 'offered', to: Change, now: Date) {
  const entry = await moveEntry(tx, id, [from], to, now);
  if (entry) await emit(tx, tx.clinicId, WaitlistEntryUpdatedSchema, toState(entry));
  return entry;
}

/** Ends an offer under the doctor's lock, lets its slot go and moves its entry on. False when it was over before. */
export async function closeOffer(tx: TenantTx, offer: OfferRow, outcome: Outcome, to: Change, now: Date): Promise<boolean> {
  await lockDay(tx, offer.doctor_id);
  if (!(await setOutcome(tx, offer.id, outcome, now))) return false;
  const [entry] = await Promise.all([changeEntry(tx, offer.entry_id, 'offered', to, now), deleteDraft(tx, offer.id, null, 'offer')]);
  await emit(tx, tx.clinicId, WaitlistOfferClosedSchema, { entryId: offer.entry_id, offerId: offer.id, patientId: entry?.patient_id ?? '', outcome });
  return true;
}

/** The same, and the slot passes to the next. */
export async function passOn(tx: TenantTx, clinic: Clinic, offer: OfferRow, outcome: Outcome, to: Change, now: Date): Promise<boolean> {
  const closed = await closeOffer(tx, offer, outcome, to, now);
  if (closed) await offerFreed(tx, clinic, offer, now);
  return closed;
}
