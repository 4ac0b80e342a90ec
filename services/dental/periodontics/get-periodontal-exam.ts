// One exam with its teeth.
import type { Call } from '@clinic/lib/rpc/pipeline.ts';
import type { GetPeriodontalExamRequest } from '@clinic/proto/dental/v1/periodontics_pb.js';
import type { App } from '../app.ts';
import { getExam } from './get-exam.ts';
import { toProto } from './periodontal-exams.sql.ts';

export async function getPeriodontalExam(app: App, request: GetPeriodontalExamRequest, call: Call) {
  return toProto(await getExam(app, call, request.patientId, request.examId), true);
}
