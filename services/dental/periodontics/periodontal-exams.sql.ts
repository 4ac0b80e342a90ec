// Periodontal exams. Rows are only added.
import { type Db, execute, readTenant, sql, type TenantTx } from '@clinic/lib/db/db.ts';
import { readPage } from '@clinic/lib/db/read-page.ts';
import { toFields } from '@clinic/lib/formats/to-fields.ts';
import { indexesOf, type MeasuredTooth } from './periodontics-rules.ts';

export type ExamRow = {
  id: string;
  patient_id: string;
  exam_date: string;
  teeth: MeasuredTooth[];
  notes: string | null;
  recorded_by: string;
  created_at: Date;
};

/** Lists leave out the teeth. */
export const toProto = (exam: ExamRow, withTeeth: boolean) => ({ ...toFields(exam), ...indexesOf(exam.teeth), teeth: withTeeth ? exam.teeth : [] });

const COLUMNS = 'id, patient_id, exam_date, teeth, notes, recorded_by, created_at';
const NEWEST = 'order by exam_date desc, created_at desc, id desc';

const insertStatement = sql(`
  insert into periodontal_exams (clinic_id, id, patient_id, exam_date, teeth, notes, recorded_by, created_at) values ($1, $2, $3, $4, $5, $6, $7, $8)`);

export async function insertExam(tx: TenantTx, exam: ExamRow): Promise<void> {
  const { id, patient_id, exam_date, teeth, notes, recorded_by, created_at } = exam;
  await execute(tx, insertStatement, [tx.clinicId, id, patient_id, exam_date, JSON.stringify(teeth), notes, recorded_by, created_at]);
}

const findStatement = sql<ExamRow>(`select ${COLUMNS} from periodontal_exams where clinic_id = $1 and patient_id = $2 and id = $3`);

export const findExam = async (db: Db, clinicId: string, patientId: string, id: string) =>
  (await readTenant(db, clinicId, findStatement, [clinicId, patientId, id]))[0];

const findUntilStatement = sql<ExamRow>(`
  select ${COLUMNS} from periodontal_exams where clinic_id = $1 and patient_id = $2 and exam_date <= $3 ${NEWEST} limit 1`);

/** The last exam on or before a day. */
export const findExamUntil = async (db: Db, clinicId: string, patientId: string, day: string) =>
  (await readTenant(db, clinicId, findUntilStatement, [clinicId, patientId, day]))[0];

const listStatement = sql<ExamRow & { total: number }>(`
  select counted.total, page.* from (select count(*)::int as total from periodontal_exams where clinic_id = $1 and patient_id = $2) counted
  left join lateral (
    select ${COLUMNS} from periodontal_exams where clinic_id = $1 and patient_id = $2 ${NEWEST} limit $3 offset $4
  ) page on true`);

/** A page of a patient's exams, newest first. */
export const listExams = (db: Db, clinicId: string, patientId: string, limit: number, offset: number) =>
  readPage(db, clinicId, listStatement, [clinicId, patientId, limit, offset]);
