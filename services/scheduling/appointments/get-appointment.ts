// One appointment with patient and doctor embedded.
import { readTenant } from '@clinic/lib/db/db.ts';
import { found } from '@clinic/lib/errors/errors.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { GetAppointmentRequest } from '@clinic/proto/scheduling/v1/appointment_pb.js';
import type { App } from '../app.ts';
import { findAppointmentStatement, toProto } from './appointments.sql.ts';

export async function getAppointment(app: App, request: GetAppointmentRequest, call: Call) {
  const { id } = clinicOf(call);
  const [appointment] = isUuid(request.id) ? await readTenant(app.db, id, findAppointmentStatement, [id, request.id]) : [];
  return toProto(found(appointment, 'Appointment'));
}
