// Offers a slot that becomes free to the first entry that it suits. The transaction that frees the slot also holds it by a slot draft,
// so that nobody else can book it. Locks are taken in the same order everywhere: doctor, offer, entry.
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { TenantTx } from '@clinic/lib/db/db.ts';
import { emit } from '@clinic/lib/events/outbox.ts';
import { enqueue } from '@clinic/lib/jobs/jobs.ts';
import type { CallerClinic } from '@clinic/lib/rpc/caller.ts';
import { WaitlistEntryUpdatedSchema, WaitlistOfferClosedSchema, WaitlistOfferedSchema } from '@clinic/proto/events/v1/scheduling_pb.js';
import { v7 } from 'uuid';
import { findOfferedTypeIn } from '../appointment-types/appointment-types.sql.ts';
import { minutesOf } from '../clinics/local-day-rules.ts';
import { lockFreeResources } from '../resources/resources.sql.ts';
import { type DoctorDay, findDay, lockDay, spanOf, toSchedule } from '../slots/doctor-day.sql.ts';
import { type Interval, isFree } from '../slots/interval-rules.ts';
import { deleteDraft, insertDraft } from '../slots/slot-drafts.sql.ts';
import { scheduleOf } from '../slots/slot-needs.ts';
import { freeResource, freeSlots, isSlotFree, type Schedule, type Slot } from '../slots/slots-rules.ts';
import {
  type EntryChange,
  listWaitingNeeds,
  lockFirstFor,
  needsOf,
  type OfferedSlot,
  setEntryStatus,
  toState,
  type WaitingNeeds,
} from './waitlist-entries.sql.ts';
import { insertOffer, type OfferRow, type Outcome, setOutcome } from './waitlist-offers.sql.ts';

/** How long a patient may answer an offer. */
export const ANSWER_MS = 15 * 60_000;
/** An offer waits this long to be sent, for example until the quiet hours end, which are shorter than a day. */
const UNSENT_MS = 24 * 3_600_000;
const MINUTE = 60_000;
export const EXPIRE_OFFER = 'expire-waitlist-offer';

type Clinic = Pick<CallerClinic, 'id' | 'timezone'>;

/** Offers the free slots of the day that overlap the freed one. Must run after the statement that frees it. */
export async function offerFreedSlot(tx: TenantTx, clinic: Clinic, freed: OfferedSlot, now: Date): Promise<void> {
  const { doctor_id, appointment_date } = freed;
  const span = intervalOf(freed);
  if (span.end <= now.getTime()) return;
  const waiting = await listWaitingNeeds(tx, doctor_id, appointment_date);
  if (waiting.length === 0) return;
  const [, doctor] = await Promise.all([lockDay(tx, doctor_id), findDay(tx, doctor_id, appointment_date, clinic.timezone, now)]);
  if (!doctor?.is_active) return;
  const schedules = await Promise.all(waiting.map((needs) => scheduleFor(tx, doctor, freed, needs, now)));
  const slots = schedules.flatMap((found) => (found ? freeSlots(found.schedule, doctor.day, now.getTime()).map((slot) => ({ ...found, slot })) : []));
  const overlapping = slots.filter(({ slot }) => !isFree(slot, [span]));
  const byStart = [...Map.groupBy(overlapping, ({ slot }) => slot.start)].sort(([a], [b]) => a - b);
  for (const [, candidates] of byStart) await offerSlot(tx, doctor, freed, candidates, now);
}

/** A free slot for entries with the same needs, and the schedule to which it belongs. */
type Candidate = { needs: WaitingNeeds; schedule: Schedule; slot: Slot };

/** Undefined when the doctor does not offer the type. */
async function scheduleFor(tx: TenantTx, doctor: DoctorDay, { doctor_id, appointment_date }: OfferedSlot, needs: WaitingNeeds, now: Date) {
  const type = needs.type_id === null ? undefined : await findOfferedTypeIn(tx, needs.type_id, doctor_id);
  if (needs.type_id !== null && !type?.offered) return undefined;
  const resourceKind = type?.resource_kind ?? null;
  // Without waiting: the transaction may have locked other resources already.
  const free = resourceKind === null ? [] : await lockFreeResources(tx, resourceKind);
  const resolved = { ...needsOf(needs), durationMinutes: needs.duration_minutes ?? type?.duration_minutes ?? null, resourceKind };
  const own = await scheduleOf(tx, resolved, spanOf(doctor.day, appointment_date), now);
  const resources = own.resources?.filter(({ id }) => free.includes(id));
  return { needs, schedule: { ...toSchedule(doctor), ...own, resources } };
}

/** The length is computed from local times: on the day of a clock change it may be an hour too long or too short. */
function intervalOf({ starts_at, start_time, end_time }: OfferedSlot): Interval {
  const minutes = (minutesOf(end_time) - minutesOf(start_time) + 24 * 60) % (24 * 60);
  return { start: starts_at.getTime(), end: starts_at.getTime() + minutes * MINUTE };
}

/** Offers one of the slots that begin at the same time to the first entry that one suits. The offered slot counts as busy for the next call. */
async function offerSlot(tx: TenantTx, { timezone }: DoctorDay, { doctor_id, appointment_date }: OfferedSlot, all: Candidate[], now: Date): Promise<void> {
  const candidates = all.filter(({ schedule, slot }) => isSlotFree(schedule, slot));
  const [first] = candidates;
  if (!first) return;
  const ends = candidates.map(({ needs, slot }) => ({ ...needs, end_time: slot.endTime }));
  const starts_at = new Date(first.slot.start);
  const entry = await lockFirstFor(tx, { doctor_id, appointment_date, start_time: first.slot.startTime, starts_at }, ends);
  const taken = entry && candidates.find(({ needs }) => needs.type_id === entry.type_id && needs.duration_minutes === entry.duration_minutes);
  if (!taken) return;
  const { slot, schedule } = taken;
  const resource_id = freeResource(schedule, slot.hold) ?? null;
  const offered: OfferedSlot = { doctor_id, appointment_date, start_time: slot.startTime, end_time: slot.endTime, starts_at };
  const offer: OfferRow = { ...offered, id: v7(), entry_id: entry.id, expires_at: new Date(Math.min(now.getTime() + UNSENT_MS, slot.start)) };
  for (const { schedule: other } of all) {
    other.busy.push(slot.hold);
    other.resources?.find(({ id }) => id === resource_id)?.busy.push(slot.hold);
  }
  await Promise.all([
    insertDraft(tx, { ...offer, ...taken.needs, resource_id }, slot.hold, 'offer', null),
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
}

/** Changes the status of an entry and publishes it. Undefined when the status was not `from`. */
export async function changeEntry(tx: TenantTx, id: string, from: 'waiting' | 'offered', to: EntryChange, now: Date) {
  const entry = await setEntryStatus(tx, id, from, to, now);
  if (entry) await emit(tx, tx.clinicId, WaitlistEntryUpdatedSchema, toState(entry));
  return entry;
}

/** Closes an offer under the lock of the doctor's calendar, releases its slot and changes its entry. False when the offer was closed before. */
export async function closeOffer(tx: TenantTx, offer: OfferRow, outcome: Outcome, to: EntryChange, now: Date): Promise<boolean> {
  await lockDay(tx, offer.doctor_id);
  if (!(await setOutcome(tx, offer.id, outcome, now))) return false;
  const [entry] = await Promise.all([changeEntry(tx, offer.entry_id, 'offered', to, now), deleteDraft(tx, offer.id, null, 'offer')]);
  await emit(tx, tx.clinicId, WaitlistOfferClosedSchema, { entryId: offer.entry_id, offerId: offer.id, patientId: entry?.patient_id ?? '', outcome });
  return true;
}

/** Closes an offer, then offers the slot to the next entry. */
export async function passOffer(tx: TenantTx, clinic: Clinic, offer: OfferRow, outcome: Outcome, to: EntryChange, now: Date): Promise<boolean> {
  const closed = await closeOffer(tx, offer, outcome, to, now);
  if (closed) await offerFreedSlot(tx, clinic, offer, now);
  return closed;
}
