// SQL that makes the stored rows of a table those of a query. Only rows that differ are written or locked, since a lock is written to the WAL too.
import { qualified } from '@clinic/lib/db/qualified.ts';

/** Columns of keys that may be null. */
const NULLABLE = ['doctor_id', 'previous_month'];

/**
 * CTEs `outdated` and `changed`, the rows of the CTE `stored` that `fresh` does not have and the reverse, and the deletion of those whose key `fresh` does
 * not have. They are compared by EXCEPT, whose time grows with the rows: a join may compare each row with each, because the planner expects few.
 */
export function differences(table: string, key: string, others: string): string {
  const columns = `${key}, ${others}`;
  const same = key.split(', ').map((name) => `s.${name} ${NULLABLE.includes(name) ? 'is not distinct from' : '='} g.${name}`);
  return `
  outdated as (select ${columns} from stored except select ${columns} from fresh), changed as (select ${columns} from fresh except select ${columns} from stored),
  deleted as (delete from ${table} s using (select ${key} from outdated except select ${key} from changed) g where ${same.join(' and ')})`;
}

/** The upsert of `changed`. */
export const writeChanged = (table: string, key: string, others: string) => `
  insert into ${table} (${key}, ${others}) select ${key}, ${others} from changed
  on conflict (${key}) do update set (${others}) = row(${qualified(others, 'excluded')})`;
