// Books an online request: for the patient who proved the phone, or as a pending appointment that the desk confirms.
import type { TenantTx } from '@clinic/lib/db/db.ts';
import { fail } from '@clinic/lib/errors/errors.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import { findPolicy } from '../appointments/cancellation-policy.sql.ts';
import { insertBooking } from '../appointments/insert-booking.ts';
import { notesWithName, resolvePatient, toNamed } from '../patients/booked-patient.ts';
import { insertClaim } from '../patients/claimed-phone.ts';
import type { BookedPatient } from '../patients/sql/patients.sql.ts';
import { claimHeldSlot } from '../slots/claim-slot.ts';
import { deleteDraft } from '../slots/slot-drafts.sql.ts';
import { NO_NEEDS } from '../slots/slot-needs.ts';
import { countUnproven, type RequestRow, updateRequest } from './booking-requests.sql.ts';
import { MAX_UNPROVEN } from './booking-requests-rules.ts';

const DAY_MS = 24 * 3_600_000;

/** Throws BOOKING_AT_DESK for a patient with too many no-shows. */
export async function bookProven(tx: TenantTx, call: Call, booking: RequestRow, now: Date): Promise<RequestRow> {
  const [policy, booked] = await Promise.all([
    findPolicy(tx, booking.type_id),
    bookFor(tx, call, booking, 'confirmed', now, () => findProven(tx, call, booking, now)),
  ]);
  if (policy.no_show_limit > 0 && booked.patient.no_show_count >= policy.no_show_limit) fail('BOOKING_AT_DESK');
  return updateRequest(tx, booking, { state: 'booked', appointment_id: booked.appointmentId });
}

/** Throws BOOKING_AT_DESK when too many appointments with unproven phones were booked in the clinic in the last 24 hours. */
export async function bookUnproven(tx: TenantTx, call: Call, booking: RequestRow, now: Date): Promise<RequestRow> {
  const { appointmentId } = await bookFor(tx, call, booking, 'pending', now, async () => ({
    patient: await insertClaim(tx, call.caller, booking.full_name, booking.phone, now),
    notes: booking.notes,
  }));
  if ((await countUnproven(tx, new Date(now.getTime() - DAY_MS))) >= MAX_UNPROVEN) fail('BOOKING_AT_DESK');
  return updateRequest(tx, booking, { state: 'requested', appointment_id: appointmentId });
}

type Booked = { patient: BookedPatient; notes: string | null };

/**
 * The patient who has the phone keeps the name, since whoever proves the phone of a family may book for another member: the other name goes into
 * the notes, as with a booking by chat.
 */
async function findProven(tx: TenantTx, call: Call, { full_name, phone, notes }: RequestRow, now: Date): Promise<Booked> {
  const ref = { name: toNamed(full_name), phone };
  const patient = await resolvePatient(tx, call.caller, ref, now);
  return { patient, notes: notesWithName('online', ref, patient, notes) };
}

async function bookFor(
  tx: TenantTx,
  call: Call,
  booking: RequestRow,
  status: 'confirmed' | 'pending',
  now: Date,
  findPatient: () => Promise<Booked>,
): Promise<{ patient: BookedPatient; appointmentId: string }> {
  const { doctor_id: doctorId, appointment_date: date, start_time, type_id: typeId, draft_id: draftId } = booking;
  const held = { doctorId, date, startTime: start_time.slice(0, 5), outsideHours: false, needs: { ...NO_NEEDS, typeId } };
  const { wanted, claimed } = await claimHeldSlot(tx, clinicOf(call), held, now, { draftId });
  const { patient, notes } = await findPatient();
  await deleteDraft(tx, draftId, null);
  const details = { wanted, patient, source: 'online', status, notes, idempotency_key: `ONLINE_${booking.id}` } as const;
  const { id = '' } = await insertBooking(tx, call, claimed, details, now);
  return { patient, appointmentId: id };
}
