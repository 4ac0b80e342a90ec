// Begins an online booking: holds the slot, then sends a code. The response does not depend on whether a patient has the phone.
import { createLane } from '@clinic/lib/background/lane.ts';
import { inTenant, type TenantTx } from '@clinic/lib/db/db.ts';
import { fail, failFor, found, ServiceError } from '@clinic/lib/errors/errors.ts';
import { parseClockTime } from '@clinic/lib/formats/clock-time.ts';
import { parseLocalDate } from '@clinic/lib/formats/local-date.ts';
import { parseUuid } from '@clinic/lib/formats/uuid.ts';
import { serviceCaller } from '@clinic/lib/rpc/caller.ts';
import { callAs } from '@clinic/lib/rpc/context.ts';
import { idempotent } from '@clinic/lib/rpc/idempotency.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import { type BeginBookingRequest, PublicBookingService } from '@clinic/proto/scheduling/v1/public_booking_pb.js';
import { v4 } from 'uuid';
import type { App } from '../app.ts';
import { claimSlot } from '../slots/claim-slot.ts';
import { lockDay } from '../slots/doctor-day.sql.ts';
import { refuseFarDate } from '../slots/farthest-date-rules.ts';
import { insertDraft } from '../slots/slot-drafts.sql.ts';
import { NO_NEEDS, resolveNeeds } from '../slots/slot-needs.ts';
import { bookUnproven } from './book-request.ts';
import { findBookableTypeIn } from './bookable.sql.ts';
import { bookingCode } from './booking-code.ts';
import { countBegun, insertRequest, lockRequest, type RequestRow, updateRequest } from './booking-requests.sql.ts';
import { HOLD_MS, isAwaitingCode, MAX_OF_CLINIC, MAX_OF_PERSON } from './booking-requests-rules.ts';
import { closeBooking } from './close-booking.ts';
import { chooseDoctors, openClinicToChange } from './open-clinic.ts';
import { parsePerson } from './parse-person.ts';
import { showBooking } from './show-booking.ts';

const HOUR_MS = 3_600_000;
/** When many people want the same slots at once, they wait here rather than for connections to the database. */
const lane = createLane({ concurrent: 4, waiting: 1_000 });

export async function beginBooking(app: App, request: BeginBookingRequest, call: Call) {
  const { clinic, call: own } = await openClinicToChange(app, request.slug, call);
  const typeId = parseUuid('typeId', request.typeId);
  const doctorId = request.doctorId === undefined ? undefined : parseUuid('doctorId', request.doctorId);
  const replaces = request.replaces === undefined ? undefined : parseUuid('replaces', request.replaces);
  const date = parseLocalDate('date', request.date);
  const startTime = parseClockTime('startTime', request.startTime);
  const now = app.clock.now();
  refuseFarDate('date', date, clinic.timezone, now);
  const person = parsePerson(request, clinic.country);
  const leave = await lane();
  const { bookingId = '' } = await idempotent(app.db, own, PublicBookingService.method.beginBooking, request, async (tx) => {
    if (replaces) await closeReplaced(tx, replaces, now);
    const type = found(await findBookableTypeIn(tx, typeId), 'Appointment type');
    const { doctor_id, claimed } = await claimFirst(tx, own, { doctors: chooseDoctors(type, doctorId), typeId, date, startTime }, now);
    const begun = await countBegun(tx, person, new Date(now.getTime() - HOUR_MS));
    if (Math.max(begun.of_phone, begun.of_email) >= MAX_OF_PERSON || begun.of_clinic >= MAX_OF_CLINIC) failFor('RATE_LIMITED', HOUR_MS / 1000);
    const slot = { doctor_id, appointment_date: date, start_time: `${startTime}:00`, type_id: typeId, expires_at: new Date(now.getTime() + HOLD_MS) };
    const draft = { id: v4(), ...slot, duration_minutes: null, resource_id: claimed.resourceId };
    await insertDraft(tx, draft, claimed.slot.hold, 'desk', null);
    return showBooking(app, await insertRequest(tx, { id: v4(), ...slot, ...person, draft_id: draft.id, created_at: now }));
  }).finally(leave);
  // Also for a repeated call, since the first one may have been interrupted here.
  return showBooking(app, await sendCode(app, own, bookingId));
}

async function closeReplaced(tx: TenantTx, id: string, now: Date): Promise<void> {
  const booking = await lockRequest(tx, id);
  if (booking && isAwaitingCode(booking, now)) await closeBooking(tx, booking);
}

type Wanted = { doctors: string[]; typeId: string; date: string; startTime: string };

/** The slot of the first doctor who is free. All calendars are locked before any chair or room. */
async function claimFirst(tx: TenantTx, call: Call, { doctors, typeId, date, startTime }: Wanted, now: Date) {
  await lockDay(tx, ...doctors);
  let refused = 'SLOT_UNAVAILABLE' as 'SLOT_UNAVAILABLE' | 'SLOT_TAKEN';
  for (const doctor_id of doctors.toSorted()) {
    try {
      const needs = await resolveNeeds(tx, doctor_id, { ...NO_NEEDS, typeId });
      return { doctor_id, claimed: await claimSlot(tx, clinicOf(call), { doctorId: doctor_id, date, startTime, outsideHours: false, needs }, now) };
    } catch (error) {
      if (!(error instanceof ServiceError) || (error.reason !== 'SLOT_TAKEN' && error.reason !== 'SLOT_UNAVAILABLE')) throw error;
      if (error.reason === 'SLOT_TAKEN') refused = 'SLOT_TAKEN';
    }
  }
  return fail(refused);
}

/** Sends the code of a new booking, or books it as pending when the code can be sent neither by chat nor by mail. */
async function sendCode(app: App, call: Call, id: string): Promise<RequestRow> {
  const { id: clinicId } = clinicOf(call);
  const begun = found(await inTenant(app.db, clinicId, (tx) => lockRequest(tx, id)), 'Booking');
  if (begun.state !== 'new') return begun;
  const { phone, email, full_name } = begun;
  const code = { bookingId: id, code: bookingCode(app.keys, id), phone, email: email ?? '', name: full_name };
  const { channel } = await app.bookingCodes.sendBookingCode(code, callAs({ ...serviceCaller('scheduling', call.caller.requestId), clinic: clinicOf(call) }));
  return inTenant(app.db, clinicId, async (tx) => {
    const now = app.clock.now();
    const booking = found(await lockRequest(tx, id), 'Booking');
    if (booking.state !== 'new') return booking; // a concurrent repeat
    if (channel) return updateRequest(tx, booking, { state: channel === 'mail' ? 'mailed' : 'sent' });
    return bookUnproven(tx, call, booking, now);
  });
}
