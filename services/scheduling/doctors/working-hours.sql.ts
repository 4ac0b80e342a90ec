// Weekly hours and breaks. A change replaces all of them.
import { execute, sql, type TenantTx } from '@clinic/lib/db/db.ts';
import { v7 } from 'uuid';
import type { WeeklyRange } from './hours-rules.ts';

const deleteHours = sql('delete from doctor_working_hours where clinic_id = $1 and doctor_id = $2');
const deleteBreaks = sql('delete from doctor_breaks where clinic_id = $1 and doctor_id = $2');
const insertHours = sql(`
  insert into doctor_working_hours (clinic_id, doctor_id, id, day_of_week, start_time, end_time)
  select $1, $2, * from unnest($3::uuid[], $4::int[], $5::time[], $6::time[])`);
const insertBreaks = sql(`
  insert into doctor_breaks (clinic_id, doctor_id, id, day_of_week, start_time, end_time)
  select $1, $2, * from unnest($3::uuid[], $4::int[], $5::time[], $6::time[])`);

export async function replaceWorkingHours(tx: TenantTx, doctorId: string, ranges: WeeklyRange[]): Promise<void> {
  await Promise.all([execute(tx, deleteHours, [tx.clinicId, doctorId]), execute(tx, insertHours, [tx.clinicId, doctorId, ...columns(ranges)])]);
}

export async function replaceBreaks(tx: TenantTx, doctorId: string, ranges: WeeklyRange[]): Promise<void> {
  await Promise.all([execute(tx, deleteBreaks, [tx.clinicId, doctorId]), execute(tx, insertBreaks, [tx.clinicId, doctorId, ...columns(ranges)])]);
}

const columns = (ranges: WeeklyRange[]) => [
  ranges.map(() => v7()),
  ranges.map((range) => range.dayOfWeek),
  ranges.map((range) => range.startTime.slice(0, 5)),
  ranges.map((range) => range.endTime.slice(0, 5)),
];
