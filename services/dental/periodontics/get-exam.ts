// One periodontal exam of a patient of the caller's clinic.
import { fail, found } from '@clinic/lib/errors/errors.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { App } from '../app.ts';
import { type ExamRow, findExam } from './periodontal-exams.sql.ts';

export async function getExam(app: App, call: Call, patientId: string, examId: string): Promise<ExamRow> {
  if (!isUuid(patientId)) fail('NOT_FOUND', 'Patient not found');
  const exam = isUuid(examId) ? await findExam(app.db, clinicOf(call).id, patientId, examId) : undefined;
  return found(exam, 'Periodontal exam');
}
