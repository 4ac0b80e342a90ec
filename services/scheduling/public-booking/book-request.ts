// Books an online request: for the patient who proved the phone, or as a pending appointment that the desk confirms.
import type { TenantTx } from '@clinic/lib/db/db.ts';
import { fail } from '@clinic/lib/errors/errors.ts';
import { searchName } from '@clinic/lib/formats/search-name.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import { findPolicy } from '../appointments/appointments.sql.ts';
import { insertBooking } from '../appointments/insert-booking.ts';
import { resolvePatient } from '../patients/booked-patient.ts';
import { insertClaim } from '../patients/claimed-phone.ts';
import type { PatientRow } from '../patients/sql/patients.sql.ts';
import { claimSlot } from '../slots/claim-slot.ts';
import { deleteDraft } from '../slots/slot-drafts.sql.ts';
import { NO_NEEDS, resolveNeeds } from '../slots/slot-needs.ts';
import { countUnproven, type RequestRow, updateRequest } from './booking-requests.sql.ts';
import { MAX_UNPROVEN } from './booking-requests-rules.ts';

const DAY_MS = 24 * 3_600_000;

/** Throws BOOKING_AT_DESK for a patient with too many no-shows. */
export async function bookProven(tx: TenantTx, call: Call, booking: RequestRow, now: Date): Promise<RequestRow> {
  const { full_name, phone, type_id } = booking;
  const [policy, booked] = await Promise.all([
    findPolicy(tx, type_id),
    bookFor(tx, call, booking, 'confirmed', now, () =>
      resolvePatient(tx, call.caller, { name: { full_name, search_name: searchName(full_name) }, phone }, now),
    ),
  ]);
  if (policy.no_show_limit > 0 && booked.patient.no_show_count >= policy.no_show_limit) fail('BOOKING_AT_DESK');
  return updateRequest(tx, booking, { state: 'booked', appointment_id: booked.appointmentId });
}

/** Throws BOOKING_AT_DESK when too many appointments with unproven phones were booked in the clinic in the last 24 hours. */
export async function bookUnproven(tx: TenantTx, call: Call, booking: RequestRow, now: Date): Promise<RequestRow> {
  const { appointmentId } = await bookFor(tx, call, booking, 'pending', now, () => insertClaim(tx, booking.full_name, booking.phone, now));
  if ((await countUnproven(tx, new Date(now.getTime() - DAY_MS))) >= MAX_UNPROVEN) fail('BOOKING_AT_DESK');
  return updateRequest(tx, booking, { state: 'requested', appointment_id: appointmentId });
}

async function bookFor(
  tx: TenantTx,
  call: Call,
  booking: RequestRow,
  status: 'confirmed' | 'pending',
  now: Date,
  findPatient: () => Promise<PatientRow>,
): Promise<{ patient: PatientRow; appointmentId: string }> {
  const { doctor_id: doctorId, appointment_date: date, start_time, type_id: typeId, draft_id: draftId, notes } = booking;
  const needs = await resolveNeeds(tx, doctorId, { ...NO_NEEDS, typeId });
  const wanted = { doctorId, date, startTime: start_time.slice(0, 5), outsideHours: false, needs };
  const claimed = await claimSlot(tx, clinicOf(call), wanted, now, { draftId });
  const patient = await findPatient();
  await deleteDraft(tx, draftId, null);
  const details = { wanted, patient, source: 'online', status, notes, idempotency_key: `ONLINE_${booking.id}` } as const;
  const { id = '' } = await insertBooking(tx, call, claimed, details, now);
  return { patient, appointmentId: id };
}
