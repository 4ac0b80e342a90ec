// Brings a service's schema up to date: numbered SQL files, each in its own transaction unless it says otherwise, checked by hash, under a lock.
// Runs as the owner. Requests run as roles that own nothing (see provision).
import { createHash, createHmac } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import pg from 'pg';
import { migrateJobs } from './jobs-schema.ts';

export type SchemaSource = {
  schema: string;
  migrations: string;
  /** Whether the service has background jobs, which live in a schema beside its own. */
  jobs?: boolean;
};

const PLUMBING = path.join(import.meta.dirname, 'migrations');
const LOCK = 7_021_337;
/**
 * A file with this line runs statement by statement, each ending a line: for `create index concurrently`, which no transaction
 * may hold. It may be interrupted between two, so it must bear being run again.
 */
const OUTSIDE = /^-- outside a transaction$/m;

/** Whether a file of a schema is to be applied, for a restore that wants the schema of an earlier release first. */
export type Wanted = (schema: string, name: string) => boolean;

/** Applies what is missing in every schema. Throws when an applied file has changed since, or has vanished. */
export async function migrate(ownerUrl: string, sources: SchemaSource[], wanted: Wanted = () => true): Promise<string[]> {
  const client = new pg.Client({ connectionString: ownerUrl });
  await client.connect();
  try {
    await client.query('select pg_advisory_lock($1)', [LOCK]);
    await client.query(
      'create extension if not exists btree_gist; create extension if not exists unaccent; create extension if not exists pg_trgm; create extension if not exists btree_gin',
    );
    const applied: string[] = [];
    for (const source of sources) {
      applied.push(...(await migrateSchema(client, ownerUrl, source, wanted)));
      if (source.jobs) applied.push(...(await migrateJobs(client, source.schema)));
    }
    return applied;
  } finally {
    await client.end();
  }
}

async function migrateSchema(client: pg.Client, ownerUrl: string, { schema, migrations }: SchemaSource, wanted: Wanted): Promise<string[]> {
  await provision(client, schema, rolePassword(ownerUrl, schema));
  await client.query(`set search_path = ${schema}, public`);
  await client.query('create table if not exists migrations (name text primary key, sha256 text not null, applied_at timestamptz not null default now())');
  await client.query(`revoke all on migrations from clinic_${schema}, clinic_${schema}_system`);
  const known = new Map(
    (await client.query<{ name: string; sha256: string }>('select name, sha256 from migrations')).rows.map((entry) => [entry.name, entry.sha256]),
  );
  const files = [...(await filesOf(PLUMBING, 'lib/')), ...(await filesOf(migrations, ''))];
  for (const name of known.keys()) {
    if (!files.some((file) => file.name === name))
      throw new Error(`${schema}: migration ${name} was applied here but its file is gone: run the release that has it, or a newer one`);
  }
  const applied: string[] = [];
  for (const file of files.filter(({ name }) => wanted(schema, name))) {
    const sha256 = createHash('sha256').update(file.text).digest('hex');
    const before = known.get(file.name);
    if (before === sha256) continue;
    if (before) throw new Error(`${schema}: migration ${file.name} was changed after it was applied: restore it and add a new one`);
    const alone = OUTSIDE.test(file.text);
    try {
      if (alone) for (const statement of file.text.split(/;\s*$/m)) await client.query(statement);
      await client.query('begin');
      if (!alone) await client.query(file.text);
      await client.query('insert into migrations (name, sha256) values ($1, $2)', [file.name, sha256]);
      await client.query('commit');
    } catch (error) {
      await client.query('rollback');
      throw new Error(`${schema}: migration ${file.name} failed: ${(error as Error).message}`, { cause: error });
    }
    applied.push(`${schema}/${file.name}`);
  }
  return applied;
}

async function filesOf(folder: string, prefix: string) {
  const names = (await readdir(folder)).filter((name) => /^\d{4}_[a-z0-9_]+\.sql$/.test(name)).sort();
  return Promise.all(names.map(async (name) => ({ name: prefix + name, text: await readFile(path.join(folder, name), 'utf8') })));
}

/** The schema and its two roles: one that requests run as, and one it can switch to for the system's own work. */
async function provision(client: pg.Client, schema: string, password: string): Promise<void> {
  const role = `clinic_${schema}`;
  for (const [name, attributes] of [
    [role, `login password '${password}'`],
    [`${role}_system`, 'nologin'],
  ]) {
    await client.query(
      `do $$ begin create role ${name} ${attributes} nosuperuser nobypassrls nocreatedb nocreaterole; exception when duplicate_object then alter role ${name} ${attributes}; end $$`,
    );
  }
  // What a client sets for its session (lib/db/db.ts) holds without it too: behind a pooler sessions are not a client's own.
  for (const setting of [`search_path = ${schema}`, "statement_timeout = '10s'", "idle_in_transaction_session_timeout = '15s'", "timezone = 'UTC'"]) {
    await client.query(`do $$ begin execute format('alter role ${role} in database %I set ${setting.replaceAll("'", "''")}', current_database()); end $$`);
  }
  await client.query(`grant ${role}_system to ${role} with inherit false, set true`);
  await client.query(`create schema if not exists ${schema}`);
  for (const grantee of [role, `${role}_system`]) {
    await client.query(`grant usage on schema ${schema} to ${grantee}`);
    await client.query(`alter default privileges in schema ${schema} grant select, insert, update, delete on tables to ${grantee}`);
    await client.query(`alter default privileges in schema ${schema} grant usage on sequences to ${grantee}`);
  }
}

/** Only who holds the owner's URL can derive the passwords of the services' roles. */
export function rolePassword(ownerUrl: string, schema: string): string {
  return createHmac('sha256', new URL(ownerUrl).password).update(`role:${schema}`).digest('base64url');
}

/** The URL with which a service connects as its own role. */
export function roleUrl(ownerUrl: string, schema: string): string {
  const url = new URL(ownerUrl);
  url.username = `clinic_${schema}`;
  url.password = rolePassword(ownerUrl, schema);
  return url.toString();
}
