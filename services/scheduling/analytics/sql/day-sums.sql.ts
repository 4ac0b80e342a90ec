// Sums by day, rebuilt for single days from the rows that they sum. Only rows that differ are written.
import { executeLast, type SystemTx, sql } from '@clinic/lib/db/db.ts';

/** A date of a clinic. */
export type ClinicDate = { clinicId: string; date: string };

type Sums = { date?: string; key?: string; keyOf?: string; sums: Record<string, string>; from: string; having?: string };

/**
 * A statement that rebuilds `table`, which has one row for each clinic, date and `key`. `from` is the table that is summed; in expressions
 * it has the alias `s`.
 */
export function daySums(table: string, { date = 'date', key, keyOf = `s.${key}`, sums, from, ...rest }: Sums) {
  const names = Object.keys(sums);
  const columns = ['clinic_id', 'date', ...(key ? [key] : []), ...names].join(', ');
  const same = `k.clinic_id = f.clinic_id and k.date = f.date${key ? ` and k.${key} is not distinct from f.${key}` : ''}`;
  const of = (alias: string) => names.map((name) => `${alias}.${name}`).join(', ');
  return sql(`
    with day as (select distinct * from unnest($1::uuid[], $2::date[]) as day (clinic_id, date)), fresh as (
      select day.clinic_id, day.date, ${[...(key ? [`${keyOf} as ${key}`] : []), ...names.map((name) => `${sums[name]} as ${name}`)].join(', ')}
      from day join ${from} s on s.clinic_id = day.clinic_id and s.${date} = day.date
      group by 1, 2${key ? ', 3' : ''} ${rest.having ? `having ${rest.having}` : ''}
    ), deleted as (
      delete from ${table} k using day where k.clinic_id = day.clinic_id and k.date = day.date and not exists (select from fresh f where ${same})
    )
    insert into ${table} (${columns}) select ${columns} from fresh f
    where not exists (select from ${table} k where ${same} and row(${of('k')}) = row(${of('f')}))
    on conflict (clinic_id, date${key ? `, ${key}` : ''}) do update set (${names.join(', ')}) = row(${of('excluded')})`);
}

/** Sends statements of daySums() together with the commit, so nothing in the transaction may read these sums. */
export const rebuildLast =
  (...statements: ReturnType<typeof daySums>[]) =>
  (tx: SystemTx, dates: ClinicDate[]) => {
    if (dates.length === 0) return;
    const values = [dates.map(({ clinicId }) => clinicId), dates.map(({ date }) => date)];
    for (const statement of statements) executeLast(tx, statement, values);
  };
