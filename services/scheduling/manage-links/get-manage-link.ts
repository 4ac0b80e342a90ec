// The manage link of an appointment, for a mail to its patient.
import { inTenant } from '@clinic/lib/db/db.ts';
import { found } from '@clinic/lib/errors/errors.ts';
import { parseUuid } from '@clinic/lib/formats/uuid.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { GetManageLinkRequest } from '@clinic/proto/scheduling/v1/manage_link_pb.js';
import type { App } from '../app.ts';
import { readAppointment } from '../appointments/appointments.sql.ts';
import { manageLink } from './manage-link.ts';

export async function getManageLink(app: App, request: GetManageLinkRequest, call: Call) {
  const { id: clinicId } = clinicOf(call);
  const appointmentId = parseUuid('appointmentId', request.appointmentId);
  const { id } = found(await inTenant(app.db, clinicId, (tx) => readAppointment(tx, appointmentId)), 'Appointment');
  return { link: manageLink(app, clinicId, id) };
}
