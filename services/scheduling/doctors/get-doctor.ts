// One doctor with hours and breaks.
import { found } from '@clinic/lib/errors/errors.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { GetDoctorRequest } from '@clinic/proto/scheduling/v1/doctor_pb.js';
import type { App } from '../app.ts';
import { findDoctorWithHours, toProto } from './doctors.sql.ts';

export async function getDoctor(app: App, request: GetDoctorRequest, call: Call) {
  return toProto(app, found(await findDoctorWithHours(app.db, clinicOf(call).id, request.id), 'Doctor'));
}
