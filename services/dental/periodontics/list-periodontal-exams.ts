// The exams of a patient with their indexes, the newest first.

import { readTenant } from '@clinic/lib/db/db.ts';
import { parsePage } from '@clinic/lib/formats/page.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { ListPeriodontalExamsRequest } from '@clinic/proto/dental/v1/periodontics_pb.js';
import type { App } from '../app.ts';
import { getPatient } from '../patients/find-patients.ts';
import { listExamsStatement, toProto } from './periodontal-exams.sql.ts';

export async function listPeriodontalExams(app: App, request: ListPeriodontalExamsRequest, call: Call) {
  const { id } = clinicOf(call);
  const { page, limit, offset } = parsePage(request, 50, 500);
  const patient = await getPatient(app, call, request.patientId);
  const exams = await readTenant(app.db, id, listExamsStatement, [id, patient.id, limit, offset]);
  return { exams: exams.filter((exam) => exam.id !== null).map((exam) => toProto(exam, false)), total: exams[0]?.total ?? 0, page, limit };
}
