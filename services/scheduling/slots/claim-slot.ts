// Every code path that occupies a slot must use this function. It reads the doctor's day under the doctor's lock and applies the
// booking rule. The constraint appointments_no_overlap decides if a path ever bypasses it.
import type { TenantTx } from '@clinic/lib/db/db.ts';
import { fail, found } from '@clinic/lib/errors/errors.ts';
import type { CallerClinic } from '@clinic/lib/rpc/caller.ts';
import { isReason } from '@clinic/lib/rpc/reasons.ts';
import { type Except, lockResources } from '../resources/resources.sql.ts';
import { decideBooking } from './booking-rules.ts';
import { type DoctorDay, findDay, lockDay, spanOf, toSchedule } from './doctor-day.sql.ts';
import { refuseFarDate } from './farthest-date-rules.ts';
import { findSlotState } from './slot-drafts.sql.ts';
import { type Needs, NO_NEEDS, needsResource, resolveNeeds, resourcesOf, scheduleOf } from './slot-needs.ts';
import { freeResource, type Slot } from './slots-rules.ts';

/** `date` is YYYY-MM-DD and `startTime` HH:MM, both in the clinic's zone. */
export type WantedSlot = {
  doctorId: string;
  date: string;
  startTime: string;
  outsideHours: boolean;
  /** From resolveNeeds(). */
  needs: Needs;
  /** Preferred over others when it is free. */
  preferredResourceId?: string | null;
};

/** `resourceId` is the chair or room that the appointment gets. */
export type ClaimedSlot = { doctor: DoctorDay; slot: Slot; resourceId: string | null };

type Clinic = Pick<CallerClinic, 'id' | 'timezone'>;
type Booked = { id: string; doctor_id: string; starts_at: Date };

/** Locks the doctor's calendar, then the chairs or rooms. A patient must be locked after them. */
export const lockDoctorAndResources = (tx: TenantTx, doctorId: string, needs: Needs) => Promise.all([lockDay(tx, doctorId), lockNeededResources(tx, needs)]);

/** Locks the chairs or rooms, if any are needed. The doctor's calendar must be locked before. */
export const lockNeededResources = async (tx: TenantTx, needs: Needs) => needsResource(needs) && lockResources(tx, resourcesOf(needs));

/** lockDoctorAndResources(), and the doctor's day, which is undefined for an unknown doctor. */
export async function lockSlot(tx: TenantTx, { timezone }: Clinic, { doctorId, date, needs }: WantedSlot, now: Date, except: Except = {}) {
  const [, row] = await Promise.all([lockDoctorAndResources(tx, doctorId, needs), findDay(tx, doctorId, date, timezone, now, except)]);
  return row;
}

/**
 * Claims a slot, which nobody else can occupy before the transaction ends. `locked` is what lockSlot() returned for it. Throws NOT_FOUND for an unknown or inactive
 * doctor, SLOT_TAKEN or SLOT_UNAVAILABLE, and VALIDATION_ERROR for a date too far ahead.
 */
export async function claimSlot(tx: TenantTx, clinic: Clinic, wanted: WantedSlot, now: Date, except: Except = {}, locked?: DoctorDay): Promise<ClaimedSlot> {
  refuseFarDate('appointmentDate', wanted.date, clinic.timezone, now);
  const { needs } = wanted;
  const row = locked ?? (await lockSlot(tx, clinic, wanted, now, except));
  const doctor = found(row?.is_active ? row : undefined, 'Doctor');
  const own = await scheduleOf(tx, needs, spanOf(doctor.day, wanted.date), now, except);
  const isPreferred = ({ id }: { id: string }) => Number(id === wanted.preferredResourceId);
  const resources = own.resources?.toSorted((a, b) => isPreferred(b) - isPreferred(a));
  const schedule = { ...toSchedule(doctor), ...own, resources };
  const decision = decideBooking(schedule, doctor.day, wanted.startTime, now.getTime(), wanted.outsideHours);
  if ('refused' in decision) fail(decision.refused);
  return { doctor, slot: decision.slot, resourceId: freeResource(schedule, decision.slot.hold) ?? null };
}

/**
 * Claims a slot that was held, with the needs that were requested then. Throws SLOT_TAKEN or SLOT_UNAVAILABLE, the latter also when the doctor was
 * deactivated or no longer offers the type.
 */
export async function claimHeldSlot(tx: TenantTx, clinic: Clinic, held: WantedSlot, now: Date, except: Except = {}) {
  try {
    const wanted = { ...held, needs: await resolveNeeds(tx, held.doctorId, held.needs) };
    return { wanted, claimed: await claimSlot(tx, clinic, wanted, now, except) };
  } catch (error) {
    if (isReason(error, 'NOT_FOUND') || isReason(error, 'VALIDATION_ERROR')) fail('SLOT_UNAVAILABLE');
    throw error;
  }
}

/**
 * Checks the slot of an appointment that is to become active again. Throws SLOT_TAKEN when a draft holds its slot, and SLOT_UNAVAILABLE for a future appointment of a doctor
 * who is inactive or on vacation. Other appointments are excluded by the constraint.
 */
export async function reclaimSlot(tx: TenantTx, { id, doctor_id, resource_id, starts_at }: Booked & { resource_id: string | null }, now: Date): Promise<void> {
  const [, state] = await Promise.all([lockDoctorAndResources(tx, doctor_id, { ...NO_NEEDS, resourceId: resource_id }), findSlotState(tx, id, now)]);
  if (state?.held) fail('SLOT_TAKEN');
  if (starts_at > now && !state?.working) fail('SLOT_UNAVAILABLE');
}

/** A free chair or room of a kind for the time of an appointment. Throws SLOT_TAKEN when there is none. */
export async function claimResource(
  tx: TenantTx,
  appointment: Booked & { appointment_date: string; busy_until: Date },
  kind: string,
  now: Date,
): Promise<string> {
  const { id, doctor_id, appointment_date, starts_at, busy_until } = appointment;
  const needs = { ...NO_NEEDS, resourceKind: kind };
  await lockDoctorAndResources(tx, doctor_id, needs);
  const span = { first: appointment_date, last: appointment_date, start: starts_at, end: busy_until };
  const { resources } = await scheduleOf(tx, needs, span, now, { appointmentId: id });
  return freeResource({ resources }, { start: starts_at.getTime(), end: busy_until.getTime() }) ?? fail('SLOT_TAKEN');
}
