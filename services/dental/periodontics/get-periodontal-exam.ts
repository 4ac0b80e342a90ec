// One exam with its teeth: as data, and as an SVG.
import { found } from '@clinic/lib/errors/errors.ts';
import { toSvgFile } from '@clinic/lib/formats/svg.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { DrawPeriodontalExamRequest, GetPeriodontalExamRequest } from '@clinic/proto/dental/v1/periodontics_pb.js';
import type { App } from '../app.ts';
import { getPatient } from '../patients/find-patients.ts';
import { findExam, toProto } from './periodontal-exams.sql.ts';
import { drawPeriodontogram } from './periodontogram.ts';

export const getPeriodontalExam = async (app: App, request: GetPeriodontalExamRequest, call: Call) => toProto(await getExam(app, request, call), true);

export async function drawPeriodontalExam(app: App, request: DrawPeriodontalExamRequest, call: Call) {
  const exam = await getExam(app, request, call);
  const svg = drawPeriodontogram(exam.teeth, exam.exam_date);
  return toSvgFile(svg);
}

async function getExam(app: App, { patientId, examId }: { patientId: string; examId: string }, call: Call) {
  const patient = await getPatient(app, call, patientId);
  const exam = isUuid(examId) ? await findExam(app.db, clinicOf(call).id, patient.id, examId) : undefined;
  return found(exam, 'Periodontal exam');
}
