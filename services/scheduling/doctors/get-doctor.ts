// One doctor, active or not.
import { readTenant } from '@clinic/lib/db/db.ts';
import { found } from '@clinic/lib/errors/errors.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { GetDoctorRequest } from '@clinic/proto/scheduling/v1/doctor_pb.js';
import type { App } from '../app.ts';
import { findDoctorStatement, toProto } from './doctors.sql.ts';

export async function getDoctor(app: App, request: GetDoctorRequest, call: Call) {
  const { id } = clinicOf(call);
  const [doctor] = isUuid(request.id) ? await readTenant(app.db, id, findDoctorStatement, [id, request.id]) : [];
  return toProto(found(doctor, 'Doctor'), app.publicUrl);
}
