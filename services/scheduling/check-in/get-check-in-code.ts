// The QR code of an appointment. It never changes, so browsers may cache it.
import { found } from '@clinic/lib/errors/errors.ts';
import { parseOneOf } from '@clinic/lib/formats/numbers.ts';
import { etagOf } from '@clinic/lib/http/etag.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { GetCheckInCodeRequest } from '@clinic/proto/scheduling/v1/check_in_pb.js';
import type { App } from '../app.ts';
import { findAppointment } from '../appointments/appointments.sql.ts';
import { checkInToken } from './check-in-token.ts';

/** Level M: the code stays readable when 15 % of it is covered. */
const QR_OPTIONS = { errorCorrectionLevel: 'M', margin: 4 } as const;
const PNG_PIXELS = 600;

export async function getCheckInCode(app: App, request: GetCheckInCodeRequest, call: Call) {
  const { id } = clinicOf(call);
  const format = parseOneOf('format', request.format || 'svg', ['svg', 'png']);
  const appointment = found(await findAppointment(app.db, id, request.id), 'Appointment');
  const link = `${app.publicUrl}/check-in/${checkInToken(app.keys, { clinicId: id, appointmentId: appointment.id })}`;
  const { default: QRCode } = await import('qrcode');
  const content =
    format === 'png'
      ? await QRCode.toBuffer(link, { ...QR_OPTIONS, width: PNG_PIXELS })
      : Buffer.from(await QRCode.toString(link, { ...QR_OPTIONS, type: 'svg' }));
  return {
    content,
    contentType: format === 'png' ? 'image/png' : 'image/svg+xml',
    etag: etagOf(content),
  };
}
