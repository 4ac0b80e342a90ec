// pg-boss stores the jobs of a service in a separate schema. The owner creates and migrates it; the roles of the service only use it.
import { createRequire } from 'node:module';
import type pg from 'pg';

const { pgboss } = createRequire(import.meta.url)('pg-boss/package.json') as { pgboss: { schema: number } };

export const jobsSchema = (schema: string) => `${schema}_jobs`;

/** Creates the schema, or migrates it to the version of the installed pg-boss. Returns the names of what was applied, like migrate(). */
export async function migrateJobs(client: pg.Client, schema: string, print: (line: string) => void): Promise<string[]> {
  const name = jobsSchema(schema);
  await client.query(`create schema if not exists ${name}`);
  const version = await installedVersion(client, name);
  if (version !== undefined && version > pgboss.schema)
    throw new Error(`${name} was created by a newer version of pg-boss: run the release that contains it, or a newer one`);
  const step = `${name}/${pgboss.schema}`;
  if (version !== pgboss.schema) {
    print(`applying ${step}`);
    const { getConstructionPlans, getMigrationPlans } = await import('pg-boss'); // most processes that load this module never migrate
    await client.query(version === undefined ? getConstructionPlans(name, { createSchema: false }) : getMigrationPlans(name, version));
  }
  for (const role of [`clinic_${schema}`, `clinic_${schema}_system`]) {
    await client.query(`grant usage on schema ${name} to ${role}`);
    await client.query(`grant select, insert, update, delete on all tables in schema ${name} to ${role}`);
  }
  return version === pgboss.schema ? [] : [step];
}

async function installedVersion(client: pg.Client, name: string): Promise<number | undefined> {
  const { rows } = await client.query<{ exists: boolean }>('select to_regclass($1) is not null as exists', [`${name}.version`]);
  if (!rows[0]?.exists) return undefined;
  const found = await client.query<{ version: number }>(`select version from ${name}.version`);
  return found.rows[0] && Number(found.rows[0].version);
}
