// One periodontal exam of a patient of the caller's clinic.
import { readTenant } from '@clinic/lib/db/db.ts';
import { fail, found } from '@clinic/lib/errors/errors.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { App } from '../app.ts';
import { type ExamRow, findExamStatement } from './periodontal-exams.sql.ts';

const NOUN = 'Periodontal exam';

export async function getExam(app: App, call: Call, patientId: string, examId: string): Promise<ExamRow> {
  const { id } = clinicOf(call);
  if (!isUuid(patientId)) fail('NOT_FOUND', 'Patient not found');
  const [exam] = isUuid(examId) ? await readTenant(app.db, id, findExamStatement, [id, patientId, examId]) : [];
  return found(exam, NOUN);
}
