// One exam as an SVG.
import { hash } from 'node:crypto';
import type { Call } from '@clinic/lib/rpc/pipeline.ts';
import type { DrawPeriodontalExamRequest } from '@clinic/proto/dental/v1/periodontics_pb.js';
import type { App } from '../app.ts';
import { getExam } from './get-exam.ts';
import { drawPeriodontogram } from './periodontogram.ts';

export async function drawPeriodontalExam(app: App, request: DrawPeriodontalExamRequest, call: Call) {
  const exam = await getExam(app, call, request.patientId, request.examId);
  const svg = drawPeriodontogram(exam.teeth, exam.exam_date);
  return { content: Buffer.from(svg), contentType: 'image/svg+xml', filename: '', etag: hash('sha256', svg, 'base64url') };
}
