// Sums by day, rebuilt for single days from the rows that they sum.
import { executeLast, type SystemTx, sql } from '@clinic/lib/db/db.ts';
import { differences, writeChanged } from './replace-rows.ts';

/** A date of a clinic. */
export type ClinicDate = { clinicId: string; date: string };

type Sums = { date?: string; key?: string; keyOf?: string; sums: Record<string, string>; from: string; having?: string };

/**
 * A statement that rebuilds `table`, which has one row for each clinic, date and `key`. `from` is the table that is summed; in expressions
 * it has the alias `s`.
 */
export function daySums(table: string, { date = 'date', key, keyOf = `s.${key}`, sums, from, ...rest }: Sums) {
  const names = Object.keys(sums);
  const rows = [table, `clinic_id, date${key ? `, ${key}` : ''}`, names.join(', ')] as const;
  return sql(`
    with day as (select distinct * from unnest($1::uuid[], $2::date[]) as day (clinic_id, date)), fresh as (
      select day.clinic_id, day.date, ${[...(key ? [`${keyOf} as ${key}`] : []), ...names.map((name) => `${sums[name]} as ${name}`)].join(', ')}
      from day join ${from} s on s.clinic_id = day.clinic_id and s.${date} = day.date
      group by 1, 2${key ? ', 3' : ''} ${rest.having ? `having ${rest.having}` : ''}
    ), stored as (select * from day join ${table} using (clinic_id, date)), ${differences(...rows)} ${writeChanged(...rows)}`);
}

/** Sends statements of daySums() together with the commit, so nothing in the transaction may read these sums. */
export const rebuildLast =
  (...statements: ReturnType<typeof daySums>[]) =>
  (tx: SystemTx, dates: ClinicDate[]) => {
    if (dates.length === 0) return;
    const values = [dates.map(({ clinicId }) => clinicId), dates.map(({ date }) => date)];
    for (const statement of statements) executeLast(tx, statement, values);
  };
