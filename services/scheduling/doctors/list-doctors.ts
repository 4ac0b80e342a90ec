// Active doctors by name.

import { readTenant } from '@clinic/lib/db/db.ts';
import { parsePage } from '@clinic/lib/formats/page.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { ListDoctorsRequest } from '@clinic/proto/scheduling/v1/doctor_pb.js';
import type { App } from '../app.ts';
import { listDoctorsStatement, toProto } from './doctors.sql.ts';

export async function listDoctors(app: App, request: ListDoctorsRequest, call: Call) {
  const { id } = clinicOf(call);
  const { page, limit, offset } = parsePage(request, 50, 500);
  const doctors = await readTenant(app.db, id, listDoctorsStatement, [id, limit, offset]);
  return {
    doctors: doctors.filter((doctor) => doctor.id !== null).map((doctor) => toProto(doctor, app.publicUrl)),
    total: doctors[0]?.total ?? 0,
    page,
    limit,
  };
}
