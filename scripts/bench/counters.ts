// The cost of work: processor time, statements and WAL, less what the product uses when idle.
import type pg from 'pg';
import { type Part, spent, usageOf } from '../processes.ts';
import { sum } from '../statistics.ts';

export type Statement = { role: string; text: string; calls: number; ms: number; wal: number };
type Counters = { cpu: ReturnType<typeof usageOf>; statements: Map<string, Statement>; wal: number; at: number };

/** Of one request; processor time in milliseconds. */
export type Cost = { node: number; postgres: number; nats: number; calls: Record<string, number>; statements: Statement[]; walBytes: number };

const STATEMENTS = `
  select r.rolname || s.queryid as key, replace(replace(r.rolname, 'clinic_', ''), '_system', '') as role, left(min(s.query), 200) as text,
    sum(s.calls)::int as calls, sum(s.total_exec_time) as ms, sum(s.wal_bytes)::float8 as wal
  from pg_stat_statements s join pg_roles r on r.oid = s.userid where r.rolname <> current_user group by 1, 2`;

/** The database must have the extension pg_stat_statements. */
export async function readCounters(owner: pg.Pool, parts: Part[]): Promise<Counters> {
  const statements = (await owner.query<Statement & { key: string }>(STATEMENTS)).rows;
  const [{ wal } = { wal: 0 }] = (await owner.query<{ wal: number }>('select wal_bytes::float8 as wal from pg_stat_wal')).rows;
  return { cpu: usageOf(parts), statements: new Map(statements.map(({ key, ...one }) => [key, one])), wal, at: performance.now() };
}

export type Work = { before: Counters; after: Counters };

export async function during<T>(counters: () => Promise<Counters>, work: () => Promise<T>): Promise<Work & { result: T }> {
  const before = await counters();
  const result = await work();
  return { before, result, after: await counters() };
}

/** The use per millisecond. */
export const usePerMs = (work: Work): Use => use(work, work.after.at - work.before.at);

type Use = { node: number; postgres: number; nats: number; statements: Map<string, Statement>; wal: number };

function use({ before, after }: Work, by: number): Use {
  const { postgres = 0, nats = 0, ...node } = spent(before.cpu, after.cpu);
  const statements = [...after.statements].map(([key, one]): [string, Statement] => {
    const { calls = 0, ms = 0, wal = 0 } = before.statements.get(key) ?? {};
    return [key, { ...one, calls: (one.calls - calls) / by, ms: (one.ms - ms) / by, wal: (one.wal - wal) / by }];
  });
  return {
    node: sum(Object.values(node)) / by,
    postgres: postgres / by,
    nats: nats / by,
    statements: new Map(statements),
    wal: (after.wal - before.wal) / by,
  };
}

/** The cost of each of `pieces` requests. `idle`: the use per millisecond without requests. */
export function costOf(work: Work, idle: Use, pieces: number): Cost {
  const ms = work.after.at - work.before.at;
  const all = use(work, 1);
  const each = (used: number, usedIdle = 0) => (used - usedIdle * ms) / pieces;
  const statements = [...all.statements].map(([key, one]) => {
    const less = idle.statements.get(key);
    return { ...one, calls: each(one.calls, less?.calls), ms: each(one.ms, less?.ms), wal: each(one.wal, less?.wal) };
  });
  const calls: Record<string, number> = {};
  for (const one of statements) calls[one.role] = (calls[one.role] ?? 0) + one.calls;
  return {
    node: each(all.node, idle.node) * 1000,
    postgres: each(all.postgres, idle.postgres) * 1000,
    nats: each(all.nats, idle.nats) * 1000,
    calls,
    statements: statements.filter((one) => one.calls > 0.02).toSorted((a, b) => b.ms - a.ms),
    walBytes: each(all.wal, idle.wal),
  };
}
