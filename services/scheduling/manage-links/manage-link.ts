// The link by which a patient sees, confirms, moves or cancels an appointment.
import { linkToken, parseLinkToken } from '@clinic/lib/crypto/link-token.ts';
import { inTenant } from '@clinic/lib/db/db.ts';
import { fail, found } from '@clinic/lib/errors/errors.ts';
import { parseUuid } from '@clinic/lib/formats/uuid.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { GetManageLinkRequest } from '@clinic/proto/scheduling/v1/manage_link_pb.js';
import type { App } from '../app.ts';
import { findAppointmentIn } from '../appointments/appointments.sql.ts';

/** `id` is that of the appointment. */
export const manageLink = ({ keys, publicUrl }: Pick<App, 'keys' | 'publicUrl'>, clinicId: string, id: string) =>
  `${publicUrl}/manage/${linkToken(keys, 'clinic appointment', { clinicId, id })}`;

/** Throws NOT_FOUND unless a key of the ring has signed the token. */
export const parseManageToken = ({ keys }: Pick<App, 'keys'>, token: string) =>
  parseLinkToken(keys, 'clinic appointment', token) ?? fail('NOT_FOUND', 'Appointment not found');

/** The link for a mail to the patient. */
export async function getManageLink(app: App, request: GetManageLinkRequest, call: Call) {
  const { id: clinicId } = clinicOf(call);
  const appointmentId = parseUuid('appointmentId', request.appointmentId);
  const { id } = found(await inTenant(app.db, clinicId, (tx) => findAppointmentIn(tx, appointmentId)), 'Appointment');
  return { link: manageLink(app, clinicId, id) };
}
