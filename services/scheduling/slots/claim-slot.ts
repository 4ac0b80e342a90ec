// The one way to a slot, for bookings, moves, drafts and whoever comes later: look at the doctor's day under the doctor's
// lock and let the rule decide. The exclusion constraint on appointments stands behind it.

import { execute, row, type TenantTx } from '@clinic/lib/db/db.ts';
import { fail, found } from '@clinic/lib/errors/errors.ts';
import type { CallerClinic } from '@clinic/lib/rpc/caller.ts';
import { localDay } from '../clinics/local-day-rules.ts';
import { decideBooking } from './booking-rules.ts';
import { type DayRow, dayStatement, dayValues, type Except, lockDoctorDayStatement, toSchedule } from './day.sql.ts';
import { findOverlappingDraft } from './slot-drafts.sql.ts';
import type { Slot } from './slots-rules.ts';

/** `date` is YYYY-MM-DD and `startTime` HH:MM, both in the clinic's zone. */
export type WantedSlot = { doctorId: string; date: string; startTime: string; outsideHours: boolean };

/** The slot, free until the transaction ends. Throws NOT_FOUND for a doctor who is not there or not active, SLOT_TAKEN or SLOT_UNAVAILABLE. */
export async function claimSlot(
  tx: TenantTx,
  clinic: Pick<CallerClinic, 'id' | 'timezone'>,
  wanted: WantedSlot,
  now: Date,
  except: Except = {},
): Promise<{ doctor: DayRow; slot: Slot }> {
  const day = localDay(clinic.timezone, wanted.date);
  const [, theirDay] = await Promise.all([
    execute(tx, lockDoctorDayStatement, [clinic.id, wanted.doctorId]),
    row(tx, dayStatement, dayValues(clinic.id, wanted.doctorId, wanted.date, day, now, except)),
  ]);
  const doctor = found(theirDay?.is_active ? theirDay : undefined, 'Doctor');
  const decision = decideBooking(toSchedule(doctor), day, wanted.startTime, now.getTime(), wanted.outsideHours);
  return 'refused' in decision ? fail(decision.refused) : { doctor, slot: decision.slot };
}

/** For an appointment that comes back to its slot: throws SLOT_TAKEN when a draft holds it. That no other appointment has it, the constraint says. */
export async function keepSlotFree(tx: TenantTx, appointment: { id: string; doctor_id: string }, now: Date): Promise<void> {
  const [, held] = await Promise.all([
    execute(tx, lockDoctorDayStatement, [tx.clinicId, appointment.doctor_id]),
    row(tx, findOverlappingDraft, [tx.clinicId, appointment.doctor_id, appointment.id, now]),
  ]);
  if (held) fail('SLOT_TAKEN');
}
