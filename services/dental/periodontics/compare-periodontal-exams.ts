// Compares two exams, each given by its id or by a day.
import { found } from '@clinic/lib/errors/errors.ts';
import { parseLocalDate } from '@clinic/lib/formats/local-date.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { ComparePeriodontalExamsRequest } from '@clinic/proto/dental/v1/periodontics_pb.js';
import type { App } from '../app.ts';
import { getPatient } from '../patients/find-patients.ts';
import { findExam, findExamUntil, toProto } from './periodontal-exams.sql.ts';
import { compareExams, indexesOf, round } from './periodontics-rules.ts';

export async function comparePeriodontalExams(app: App, request: ComparePeriodontalExamsRequest, call: Call) {
  for (const path of ['from', 'to'] as const) if (!isUuid(request[path])) parseLocalDate(path, request[path]);
  const patient = await getPatient(app, call, request.patientId);
  const { id } = clinicOf(call);
  const get = async (idOrDay: string) => found(await (isUuid(idOrDay) ? findExam : findExamUntil)(app.db, id, patient.id, idOrDay), 'Periodontal exam');
  const [from, to] = await Promise.all([get(request.from), get(request.to)]);
  const [before, after] = [indexesOf(from.teeth), indexesOf(to.teeth)];
  return {
    from: toProto(from, false),
    to: toProto(to, false),
    bleedingChange: round(after.bleedingIndex - before.bleedingIndex, 1),
    plaqueChange: round(after.plaqueIndex - before.plaqueIndex, 1),
    ...compareExams(from.teeth, to.teeth),
  };
}
