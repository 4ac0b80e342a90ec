// Stores a periodontal exam.
import { audit } from '@clinic/lib/audit/audit.ts';
import { invalid, throwIfInvalid } from '@clinic/lib/errors/errors.ts';
import { dateIn, parseLocalDate } from '@clinic/lib/formats/local-date.ts';
import { parseOptionalText } from '@clinic/lib/formats/text.ts';
import { idempotent, settled } from '@clinic/lib/rpc/idempotency.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import { type AddPeriodontalExamRequest, PeriodonticsService } from '@clinic/proto/dental/v1/periodontics_pb.js';
import { v7 } from 'uuid';
import type { App } from '../app.ts';
import { getPatientToChange } from '../patients/find-patients.ts';
import { type ExamRow, insertExam, toProto } from './periodontal-exams.sql.ts';
import { findFault, type MeasuredTooth } from './periodontics-rules.ts';

export async function addPeriodontalExam(app: App, request: AddPeriodontalExamRequest, call: Call) {
  const clinic = clinicOf(call);
  const now = app.clock.now();
  const today = dateIn(clinic.timezone, now);
  const exam_date = request.examDate ? parseLocalDate('exam_date', request.examDate) : today;
  if (exam_date > today) invalid('exam_date', 'must not be in the future');
  throwIfInvalid(findFault(request.teeth));
  const notes = parseOptionalText('notes', request.notes, 5000);
  const getPatient = await settled(getPatientToChange(app, call, request.patientId));
  return idempotent(app.db, call, PeriodonticsService.method.addPeriodontalExam, request, async (tx) => {
    const teeth = request.teeth.map(toPlain).sort((a, b) => a.tooth - b.tooth);
    const exam: ExamRow = { id: v7(), patient_id: getPatient().id, exam_date, teeth, notes, recorded_by: call.caller.id, created_at: now };
    await Promise.all([insertExam(tx, exam), audit(tx, clinic.id, call.caller, { action: 'periodontal_exam.created', entityId: exam.id })]);
    return toProto(exam, true);
  });
}

/** The fields alone, without the metadata of the message. */
const toPlain = ({ tooth, mobility, furcation, sites }: MeasuredTooth): MeasuredTooth => ({
  tooth,
  mobility,
  furcation: furcation.map(({ side, grade }) => ({ side, grade })),
  sites: sites.map(({ site, depth, recession, bleeding, plaque, suppuration }) => ({ site, depth, recession, bleeding, plaque, suppuration })),
});
