// A page of a patient's exams with their indexes, newest first.
import { parsePage } from '@clinic/lib/formats/page.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { ListPeriodontalExamsRequest } from '@clinic/proto/dental/v1/periodontics_pb.js';
import type { App } from '../app.ts';
import { getPatient } from '../patients/find-patients.ts';
import { listExams, toProto } from './periodontal-exams.sql.ts';

export async function listPeriodontalExams(app: App, request: ListPeriodontalExamsRequest, call: Call) {
  const { id } = clinicOf(call);
  const { page, limit, offset } = parsePage(request, 50, 500);
  const patient = await getPatient(app, call, request.patientId);
  const { rows, total } = await listExams(app.db, id, patient.id, limit, offset);
  return { exams: rows.map((exam) => toProto(exam, false)), total, page, limit };
}
