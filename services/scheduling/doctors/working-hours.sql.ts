// Weekly hours and breaks. A change replaces all of them.
import { execute, sql, type TenantTx } from '@clinic/lib/db/db.ts';
import { v7 } from 'uuid';
import type { WeeklyRange } from './hours-rules.ts';

function replaceIn(table: string) {
  const deleteAll = sql(`delete from ${table} where clinic_id = $1 and doctor_id = $2`);
  const insertAll = sql(`
  insert into ${table} (clinic_id, doctor_id, id, day_of_week, start_time, end_time)
  select $1, $2, * from unnest($3::uuid[], $4::int[], $5::time[], $6::time[])`);
  return async (tx: TenantTx, doctorId: string, ranges: WeeklyRange[]): Promise<void> => {
    await Promise.all([execute(tx, deleteAll, [tx.clinicId, doctorId]), execute(tx, insertAll, [tx.clinicId, doctorId, ...columns(ranges)])]);
  };
}

export const replaceWorkingHours = replaceIn('doctor_working_hours');
export const replaceBreaks = replaceIn('doctor_breaks');

const columns = (ranges: WeeklyRange[]) => [
  ranges.map(() => v7()),
  ranges.map((range) => range.dayOfWeek),
  ranges.map((range) => range.startTime.slice(0, 5)),
  ranges.map((range) => range.endTime.slice(0, 5)),
];
