// An appointment as other services may know one.
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { readTenant } from '@clinic/lib/db/db.ts';
import { found } from '@clinic/lib/errors/errors.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { FindAppointmentRequest } from '@clinic/proto/scheduling/v1/lookup_pb.js';
import type { App } from '../app.ts';
import { lookUpAppointmentStatement } from './lookup.sql.ts';

export async function findAppointment(app: App, request: FindAppointmentRequest, call: Call) {
  const { id } = clinicOf(call);
  const [row] = isUuid(request.id) ? await readTenant(app.db, id, lookUpAppointmentStatement, [id, request.id]) : [];
  const { patient_id, status, starts_at, revision, updated_at } = found(row, 'Appointment');
  return { id: request.id, patientId: patient_id, status, startsAt: timestampFromDate(starts_at), revision, changedAt: timestampFromDate(updated_at) };
}
