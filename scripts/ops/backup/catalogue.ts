// Schemas, tables and sequences with the product's data, read from the catalogue of the database so that no list has to be maintained.
import { jobsSchema } from '@clinic/lib/db/jobs-schema.ts';
import type pg from 'pg';
import { schemaSources } from '../../schemas.ts';

export type FoundTable = { schema: string; table: string; columns: string[] };

/**
 * Tables that are not backed up because they are filled in other ways: the list of migrations, which a restore compares with the manifest;
 * pg-boss's version and statistics; and the running processes, which register themselves. Rate limits are in unlogged tables, which are not found.
 */
const NOT_BACKED_UP = /(^|_jobs)\.(version|warning|queue_stats)$|\.(migrations|running_processes)$/;

export const hasColumn = (tables: FoundTable[], schema: string, table: string, column: string) =>
  tables.some((one) => one.schema === schema && one.table === table && one.columns.includes(column));

/** Whether the role bypasses row-level security, which otherwise leaves out rows silently. */
export async function seesEveryRow(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ bypasses: boolean }>('select rolsuper or rolbypassrls as bypasses from pg_roles where rolname = current_user');
  return rows[0]?.bypasses ?? false;
}

const schemas = () => schemaSources().flatMap(({ schema, jobs }) => (jobs ? [schema, jobsSchema(schema)] : [schema]));

// Partitions are left out: they are read and filled through their parents.
const TABLES = `
  select n.nspname as schema, c.relname as table,
    array_agg(a.attname::text order by a.attnum) filter (where a.attgenerated = '') as columns
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  where n.nspname = any($1) and c.relkind in ('r', 'p') and not c.relispartition and c.relpersistence = 'p'
  group by 1, 2 order by 1, 2`;

export async function findTables(client: pg.Client): Promise<FoundTable[]> {
  const { rows } = await client.query<FoundTable>(TABLES, [schemas()]);
  return rows.filter(({ schema, table }) => !NOT_BACKED_UP.test(`${schema}.${table}`));
}

const SEQUENCES = `
  select schemaname as schema, sequencename as name, start_value::text as start, last_value::text as last from pg_sequences
  where schemaname = any($1) order by 1, 2`;

/** The last value of each sequence. For a sequence that was never used it is the start value, and `called` is false. */
export async function findSequences(client: pg.Client) {
  const { rows } = await client.query<{ schema: string; name: string; start: string; last: string | null }>(SEQUENCES, [schemas()]);
  return rows.map(({ schema, name, start, last }) => ({ schema, name, last: last ?? start, called: last !== null }));
}

export async function findMigrations(client: pg.Client): Promise<Record<string, Record<string, string>>> {
  const found: Record<string, Record<string, string>> = {};
  for (const { schema } of schemaSources()) {
    const { rows } = await client.query<{ name: string; sha256: string }>(`select name, sha256 from ${schema}.migrations order by name`);
    found[schema] = Object.fromEntries(rows.map(({ name, sha256 }) => [name, sha256]));
  }
  return found;
}

export async function findJobsVersions(client: pg.Client): Promise<Record<string, number>> {
  const found: Record<string, number> = {};
  for (const { schema, jobs } of schemaSources()) {
    if (!jobs) continue;
    const { rows } = await client.query<{ version: number }>(`select version::int as version from ${jobsSchema(schema)}.version`);
    found[jobsSchema(schema)] = rows[0]?.version ?? 0;
  }
  return found;
}
