// Vacations of doctors: whole days without slots.
import { type Db, readTenant, row, sql, type TenantTx } from '@clinic/lib/db/db.ts';
import { toFields } from '@clinic/lib/formats/to-fields.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import type { Conflict } from '../slots/timetable.sql.ts';

export type VacationRow = { id: string; doctor_id: string; start_date: string; end_date: string; reason: string | null; created_at: Date };

export const toProto = (vacation: VacationRow, conflicts: Conflict[] = []) => ({ ...toFields(vacation), conflicts });

const COLUMNS = 'v.id, v.doctor_id, v.start_date, v.end_date, v.reason, v.created_at';

// At least one row when the doctor exists; it carries the total.
const listStatement = sql<VacationRow & { total: number }>(`
  select counted.total, page.* from (
    select (select count(*)::int from doctor_vacations where clinic_id = $1 and doctor_id = $2) as total from doctors where clinic_id = $1 and id = $2
  ) counted
  left join lateral (
    select ${COLUMNS} from doctor_vacations v where v.clinic_id = $1 and v.doctor_id = $2 order by v.start_date desc, v.id desc limit $3 offset $4
  ) page on true`);

/** A page of a doctor's vacations, newest first. Undefined when the clinic has no such doctor. */
export async function listVacations(db: Db, clinicId: string, doctorId: string, limit: number, offset: number) {
  const vacations = isUuid(doctorId) ? await readTenant(db, clinicId, listStatement, [clinicId, doctorId, limit, offset]) : [];
  return vacations[0] && { rows: vacations.filter(({ id }) => id !== null), total: vacations[0].total };
}

// Selecting from doctors inserts nothing for a doctor that the clinic does not have.
const insertStatement = sql<VacationRow>(`
  insert into doctor_vacations as v (clinic_id, doctor_id, id, start_date, end_date, reason)
  select clinic_id, id, $3, $4, $5, $6 from doctors where clinic_id = $1 and id = $2
  returning ${COLUMNS}`);

/** Undefined when the clinic has no such doctor. */
export const insertVacation = (tx: TenantTx, { id, doctor_id, start_date, end_date, reason }: Omit<VacationRow, 'created_at'>) =>
  row(tx, insertStatement, [tx.clinicId, doctor_id, id, start_date, end_date, reason]);

const deleteStatement = sql<VacationRow>(`
  delete from doctor_vacations v where v.clinic_id = $1 and v.doctor_id = $2 and v.id = $3 returning ${COLUMNS}`);

/** Undefined when the doctor has no such vacation. */
export const deleteVacation = (tx: TenantTx, doctorId: string, id: string) => row(tx, deleteStatement, [tx.clinicId, doctorId, id]);
