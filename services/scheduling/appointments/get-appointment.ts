// One appointment with patient and doctor embedded.
import { found } from '@clinic/lib/errors/errors.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { GetAppointmentRequest } from '@clinic/proto/scheduling/v1/appointment_pb.js';
import type { App } from '../app.ts';
import { toProto } from './appointment-row.ts';
import { findAppointment } from './appointments.sql.ts';

export async function getAppointment(app: App, request: GetAppointmentRequest, call: Call) {
  return toProto(found(await findAppointment(app.db, clinicOf(call).id, request.id), 'Appointment'));
}
