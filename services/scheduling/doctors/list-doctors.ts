// Lists doctors, and gets one, with hours and breaks.
import { found } from '@clinic/lib/errors/errors.ts';
import { parsePage } from '@clinic/lib/formats/page.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { GetDoctorRequest, ListDoctorsRequest } from '@clinic/proto/scheduling/v1/doctor_pb.js';
import type { App } from '../app.ts';
import { type DoctorRow, findDoctorWithHours, listDoctors as list, toProto } from './doctors.sql.ts';

/** Active or inactive doctors by name. */
export async function listDoctors(app: App, request: ListDoctorsRequest, call: Call) {
  const { page, limit, offset } = parsePage(request, 50, 500);
  const { rows, total } = await list(app.db, clinicOf(call).id, request.isActive ?? true, limit, offset);
  return { doctors: rows.map((doctor) => toRead(app, doctor, call)), total, page, limit };
}

export async function getDoctor(app: App, request: GetDoctorRequest, call: Call) {
  return toRead(app, found(await findDoctorWithHours(app.db, clinicOf(call).id, request.id), 'Doctor'), call);
}

/** Without the token of the calendar feed for an integration key: keys cannot get the feed's URLs either, which would remain valid without the key. */
const toRead = (app: App, doctor: DoctorRow, { caller }: Call) =>
  toProto(app, caller.kind === 'integration_key' ? { ...doctor, feed_token_sealed: null } : doctor);
