// Confirms an online booking with its code.
import { inTenant } from '@clinic/lib/db/db.ts';
import { fail, found } from '@clinic/lib/errors/errors.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { ConfirmBookingRequest, GetBookingRequest } from '@clinic/proto/scheduling/v1/public_booking_pb.js';
import type { App } from '../app.ts';
import { bookProven, bookUnproven } from './book-request.ts';
import { isBookingCode } from './booking-code.ts';
import { findRequest, lockRequest, updateRequest } from './booking-requests.sql.ts';
import { isAwaitingCode, MAX_WRONG_CODES } from './booking-requests-rules.ts';
import { closeBooking } from './close-booking.ts';
import { openClinic, openClinicToChange } from './open-clinic.ts';
import { showBooking } from './show-booking.ts';

export async function getBooking(app: App, { slug, id }: GetBookingRequest, call: Call) {
  const { clinic } = await openClinic(app, slug, call);
  const booking = isUuid(id) ? await inTenant(app.db, clinic.clinicId, (tx) => findRequest(tx, id)) : undefined;
  return showBooking(app, found(booking, 'Booking'));
}

export async function confirmBooking(app: App, { slug, id, code }: ConfirmBookingRequest, call: Call) {
  const { call: own } = await openClinicToChange(app, slug, call);
  if (!isUuid(id)) fail('NOT_FOUND', 'Booking not found');
  // A wrong code must be counted, so it is thrown only after the commit.
  const booked = await inTenant(app.db, clinicOf(own).id, async (tx) => {
    const now = app.clock.now();
    const booking = found(await lockRequest(tx, id), 'Booking');
    const isRight = isBookingCode(app.keys, id, code);
    if (isRight && (booking.state === 'booked' || booking.state === 'requested')) return booking;
    if (!isAwaitingCode(booking, now)) fail('BOOKING_CLOSED');
    if (isRight) return booking.state === 'sent' ? bookProven(tx, own, booking, now) : bookUnproven(tx, own, booking, now);
    const counted = await updateRequest(tx, booking, { wrong_codes: booking.wrong_codes + 1 });
    if (counted.wrong_codes >= MAX_WRONG_CODES) await closeBooking(tx, counted);
    return undefined;
  });
  return showBooking(app, booked ?? fail('INVALID_OTP'));
}
