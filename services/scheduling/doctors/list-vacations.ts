// Vacations of a doctor, newest first.

import { readTenant } from '@clinic/lib/db/db.ts';
import { found } from '@clinic/lib/errors/errors.ts';
import { parsePage } from '@clinic/lib/formats/page.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { ListVacationsRequest } from '@clinic/proto/scheduling/v1/doctor_pb.js';
import type { App } from '../app.ts';
import { listVacationsStatement, toProto } from './vacations.sql.ts';

export async function listVacations(app: App, request: ListVacationsRequest, call: Call) {
  const { id } = clinicOf(call);
  const { page, limit, offset } = parsePage(request, 50, 500);
  const vacations = isUuid(request.doctorId) ? await readTenant(app.db, id, listVacationsStatement, [id, request.doctorId, limit, offset]) : [];
  const { total } = found(vacations[0], 'Doctor');
  return { vacations: vacations.filter((vacation) => vacation.id !== null).map((vacation) => toProto(vacation)), total, page, limit };
}
