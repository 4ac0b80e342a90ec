// Names of the migrated database.
import { withClient } from '../../database.ts';
import { findMigrations, findTables } from '../../ops/backup/catalogue.ts';
import { collect, type Names } from './names.ts';

// Constraints and unique indexes, to which an error mapping can refer.
const CONSTRAINTS = `
  select n.nspname as schema, c.conname as name from pg_constraint c join pg_namespace n on n.oid = c.connamespace where c.contype <> 'n'
  union select n.nspname, c.relname from pg_index i join pg_class c on c.oid = i.indexrelid join pg_namespace n on n.oid = c.relnamespace where i.indisunique`;

export async function databaseNames(ownerUrl: string): Promise<Names> {
  return withClient(ownerUrl, async (client) => {
    const migrations = Object.entries(await findMigrations(client)).flatMap(([schema, files]) =>
      // The files of lib are applied to each schema.
      Object.entries(files).map(([name, sha256]) => [name.startsWith('lib/') ? name : `${schema}/${name}`, sha256] as const),
    );
    const all = await findTables(client);
    // Tables of the job queues belong to pg-boss, which migrates them itself.
    const tables = all.filter(({ schema }) => !schema.endsWith('_jobs'));
    const { rows: constraints } = await client.query<{ schema: string; name: string }>(CONSTRAINTS);
    const schemas = new Set(tables.map(({ schema }) => schema));
    return {
      'Applied migrations': collect(migrations),
      Schemas: collect(all.map(({ schema }) => [schema] as const)),
      'Tables and columns': collect(tables.map(({ schema, table, columns }) => [`${schema}.${table}`, ...columns] as const)),
      'Constraints and unique indexes': collect(constraints.filter(({ schema }) => schemas.has(schema)).map(({ schema, name }) => [schema, name] as const)),
    };
  });
}
