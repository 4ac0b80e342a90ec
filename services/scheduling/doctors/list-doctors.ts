// Active or inactive doctors by name.
import { parsePage } from '@clinic/lib/formats/page.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { ListDoctorsRequest } from '@clinic/proto/scheduling/v1/doctor_pb.js';
import type { App } from '../app.ts';
import { listDoctors as list, toProto } from './doctors.sql.ts';

export async function listDoctors(app: App, request: ListDoctorsRequest, call: Call) {
  const { page, limit, offset } = parsePage(request, 50, 500);
  const { rows, total } = await list(app.db, clinicOf(call).id, request.isActive ?? true, limit, offset);
  return { doctors: rows.map((doctor) => toProto(app, doctor)), total, page, limit };
}
