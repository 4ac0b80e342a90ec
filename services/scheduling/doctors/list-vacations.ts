// Vacations of a doctor, newest first.
import { found } from '@clinic/lib/errors/errors.ts';
import { parsePage } from '@clinic/lib/formats/page.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { ListVacationsRequest } from '@clinic/proto/scheduling/v1/doctor_pb.js';
import type { App } from '../app.ts';
import { listVacations as list, toProto } from './vacations.sql.ts';

export async function listVacations(app: App, request: ListVacationsRequest, call: Call) {
  const { page, limit, offset } = parsePage(request, 50, 500);
  const { rows, total } = found(await list(app.db, clinicOf(call).id, request.doctorId, limit, offset), 'Doctor');
  return { vacations: rows.map((vacation) => toProto(vacation)), total, page, limit };
}
