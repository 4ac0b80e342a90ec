// pg-boss keeps a service's jobs in a schema of its own. The owner makes and migrates it; the service's roles only use it.
import { createRequire } from 'node:module';
import type pg from 'pg';
import { getConstructionPlans, getMigrationPlans } from 'pg-boss';

const { pgboss } = createRequire(import.meta.url)('pg-boss/package.json') as { pgboss: { schema: number } };

export const jobsSchema = (schema: string) => `${schema}_jobs`;

/** Makes the schema, or brings it up to the installed pg-boss. Returns what was done, as migrate() tells it. */
export async function migrateJobs(client: pg.Client, schema: string): Promise<string[]> {
  const name = jobsSchema(schema);
  await client.query(`create schema if not exists ${name}`);
  const version = await installedVersion(client, name);
  if (version !== undefined && version > pgboss.schema) throw new Error(`${name} was made by a newer pg-boss: run the release that has it, or a newer one`);
  if (version === undefined) await client.query(getConstructionPlans(name, { createSchema: false }));
  else if (version < pgboss.schema) await client.query(getMigrationPlans(name, version));
  for (const role of [`clinic_${schema}`, `clinic_${schema}_system`]) {
    await client.query(`grant usage on schema ${name} to ${role}`);
    await client.query(`grant select, insert, update, delete on all tables in schema ${name} to ${role}`);
  }
  return version === pgboss.schema ? [] : [`${name}/${pgboss.schema}`];
}

async function installedVersion(client: pg.Client, name: string): Promise<number | undefined> {
  const { rows } = await client.query<{ there: boolean }>('select to_regclass($1) is not null as there', [`${name}.version`]);
  if (!rows[0]?.there) return undefined;
  const found = await client.query<{ version: number }>(`select version from ${name}.version`);
  return found.rows[0] && Number(found.rows[0].version);
}
