// Every code path that occupies a slot must use this function. It reads the doctor's day under the doctor's lock and applies the
// booking rule. The constraint appointments_no_overlap decides if a path ever bypasses it.
import type { TenantTx } from '@clinic/lib/db/db.ts';
import { fail, found } from '@clinic/lib/errors/errors.ts';
import type { CallerClinic } from '@clinic/lib/rpc/caller.ts';
import { decideBooking } from './booking-rules.ts';
import { type DoctorDay, type Except, findDay, lockDay, toSchedule } from './doctor-day.sql.ts';
import { refuseFarDate } from './farthest-date-rules.ts';
import { findSlotState } from './slot-drafts.sql.ts';
import type { Slot } from './slots-rules.ts';

/** `date` is YYYY-MM-DD and `startTime` HH:MM, both in the clinic's zone. */
export type WantedSlot = { doctorId: string; date: string; startTime: string; outsideHours: boolean };

/**
 * A slot that stays free until the transaction ends. Throws NOT_FOUND for an unknown or inactive doctor, SLOT_TAKEN or SLOT_UNAVAILABLE, and
 * VALIDATION_ERROR for a date too far ahead.
 */
export async function claimSlot(
  tx: TenantTx,
  clinic: Pick<CallerClinic, 'id' | 'timezone'>,
  wanted: WantedSlot,
  now: Date,
  except: Except = {},
): Promise<{ doctor: DoctorDay; slot: Slot }> {
  refuseFarDate('appointmentDate', wanted.date, clinic.timezone, now);
  const [, row] = await Promise.all([lockDay(tx, wanted.doctorId), findDay(tx, wanted.doctorId, wanted.date, clinic.timezone, now, except)]);
  const doctor = found(row?.is_active ? row : undefined, 'Doctor');
  const decision = decideBooking(toSchedule(doctor), doctor.day, wanted.startTime, now.getTime(), wanted.outsideHours);
  return 'refused' in decision ? fail(decision.refused) : { doctor, slot: decision.slot };
}

/**
 * Before an appointment becomes active again. Throws SLOT_TAKEN when a draft holds its slot, and SLOT_UNAVAILABLE for a future appointment of a doctor
 * who is inactive or on vacation. Other appointments are excluded by the constraint.
 */
export async function reclaimSlot(tx: TenantTx, appointment: { id: string; doctor_id: string; starts_at: Date }, now: Date): Promise<void> {
  const [, state] = await Promise.all([lockDay(tx, appointment.doctor_id), findSlotState(tx, appointment.id, now)]);
  if (state?.held) fail('SLOT_TAKEN');
  if (appointment.starts_at > now && !state?.working) fail('SLOT_UNAVAILABLE');
}
