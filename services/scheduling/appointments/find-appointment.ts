// An appointment for other services: whose it is, when and its status, without names.
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { found } from '@clinic/lib/errors/errors.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { FindAppointmentRequest } from '@clinic/proto/scheduling/v1/lookup_pb.js';
import type { App } from '../app.ts';
import { findAppointment as find } from './appointments.sql.ts';

export async function findAppointment(app: App, request: FindAppointmentRequest, call: Call) {
  const { id, patient_id, status, starts_at, revision, updated_at } = found(await find(app.db, clinicOf(call).id, request.id), 'Appointment');
  return { id, patientId: patient_id, status, startsAt: timestampFromDate(starts_at), revision, changedAt: timestampFromDate(updated_at) };
}
