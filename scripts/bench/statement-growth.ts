// Which statements take longer when there are more rows of other clinics: the same work on two databases, by pg_stat_statements.
import { query } from '../database.ts';

/** A setting of PostgreSQL. */
export const COUNT_STATEMENTS = 'shared_preload_libraries=pg_stat_statements';

/** A statement of a role, with the milliseconds of one execution in each database. */
type Grown = { role: string; text: string; calls: number; largeMs: number; smallMs: number };
/** `compared`: how many statements ran in both databases. `grown`: those that are slower with many rows, the costliest first. */
export type StatementGrowth = { compared: number; grown: Grown[] };

const FEWEST_CALLS = 20;
const SLOWER = 1.5;
const LEAST_MS = 0.1;

const RESET = 'select pg_stat_statements_reset(0, (select oid from pg_database where datname = current_database()), 0)';
const COUNTED = `
  select r.rolname as role, s.query as text, sum(s.calls)::int as calls, sum(s.total_exec_time) / sum(s.calls) as ms
  from pg_stat_statements s join pg_roles r on r.oid = s.userid join pg_database d on d.oid = s.dbid
  where d.datname = current_database() and r.rolname <> current_user group by 1, 2 having sum(s.calls) >= ${FEWEST_CALLS}`;

/** Takes the owner's URLs. Compares the statements executed between this call and the call of the function that it returns. */
export async function countStatements(large: string, small: string): Promise<() => Promise<StatementGrowth>> {
  await Promise.all([large, small].map((url) => query(url, `create extension if not exists pg_stat_statements; ${RESET}`)));
  return async () => {
    const [many = [], few = []] = await Promise.all(
      [large, small].map((url) => query<{ role: string; text: string; calls: number; ms: number }>(url, COUNTED)),
    );
    const msOf = new Map(few.map(({ role, text, ms }) => [role + text, ms]));
    const both = many.flatMap(({ role, text, calls, ms }) => {
      const smallMs = msOf.get(role + text);
      return smallMs === undefined ? [] : [{ role, text, calls, largeMs: ms, smallMs }];
    });
    const grown = both.filter(({ largeMs, smallMs }) => largeMs > SLOWER * smallMs && largeMs > smallMs + LEAST_MS);
    return { compared: both.length, grown: grown.toSorted((a, b) => b.largeMs * b.calls - a.largeMs * a.calls) };
  };
}
