// A booking that was begun, as the API shows it.
import type { MessageInitShape } from '@bufbuild/protobuf';
import type { BegunBookingSchema } from '@clinic/proto/scheduling/v1/public_booking_pb.js';
import type { App } from '../app.ts';
import { manageLink } from '../manage-links/manage-link.ts';
import type { RequestRow } from './booking-requests.sql.ts';
import { statusOf } from './booking-requests-rules.ts';

export function showBooking(app: Pick<App, 'clock' | 'keys' | 'publicUrl'>, booking: RequestRow): MessageInitShape<typeof BegunBookingSchema> {
  const { clinic_id, id, state, type_id, doctor_id, appointment_date, start_time, appointment_id, phone, email } = booking;
  return {
    bookingId: id,
    status: statusOf(booking, app.clock.now()),
    channel: state === 'sent' ? 'chat' : state === 'mailed' ? 'mail' : undefined,
    sentTo: state === 'sent' ? phone.slice(-3) : state === 'mailed' ? email?.replace(/(?<=^.)[^@]*/u, '…') : undefined,
    typeId: type_id,
    doctorId: doctor_id,
    date: appointment_date,
    startTime: start_time.slice(0, 5),
    manageUrl: appointment_id ? manageLink(app, clinic_id, appointment_id) : undefined,
  };
}
