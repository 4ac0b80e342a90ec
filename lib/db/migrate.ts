// Applies numbered SQL files to the schema of a service: under a lock, each in its own transaction unless the file says otherwise. The hashes
// of applied files are stored and compared. Runs as the owner of the database; requests run as roles that own nothing (see provision).
import { createHash, createHmac } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { SettingsError } from '../config/config.ts';
import type { DatabaseUrls } from './db.ts';
import { migrateJobs } from './jobs-schema.ts';
import { rethrowUnreachable } from './unreachable.ts';

export type SchemaSource = {
  schema: string;
  migrations: string;
  /** Whether the service has background jobs, which have a schema of their own. */
  jobs?: boolean;
};

const COMMON_MIGRATIONS = path.join(import.meta.dirname, 'migrations');
const LOCK = 7_021_337;
const LOCK_PAUSE_MS = 500;
/** Longer than deadlock_timeout, after which PostgreSQL cancels an autovacuum that has the lock. */
const LOCK_TIMEOUT = '2s';
const MAX_PAUSE_MS = 30_000;
const LOCK_NOT_AVAILABLE = '55P03';
const MONITOR = 'monitor';
/** The migration of the release that introduced the login of the system role. */
const SYSTEM_LOGIN = 'lib/0008_system_login.sql';
/**
 * A file with this line runs statement by statement, outside a transaction, as `create index concurrently` requires. Each statement ends at
 * the end of a line. The file may be interrupted between two statements, so it must be safe to run again.
 */
const OUTSIDE = /^-- outside a transaction$/m;

type Options = {
  /** Whether to apply a file: a restore first needs the schema of an earlier release. */
  wanted?: (schema: string, name: string) => boolean;
  /** Receives a line before each file, which may run for minutes, and before waiting for another migration. */
  print?: (line: string) => void;
};

/**
 * Applies the missing files to every schema and returns their names. A schema of a later release is left as it is, since this release works
 * with it. Throws when an applied file was changed, or is missing among those of this release.
 */
export async function migrate(ownerUrl: string, sources: SchemaSource[], { wanted = () => true, print = () => {} }: Options = {}): Promise<string[]> {
  ownerPassword(ownerUrl);
  const client = new pg.Client({ connectionString: ownerUrl });
  await client.connect().catch((error) => rethrowUnreachable(error, client.host, client.port));
  try {
    await refuseOldServer(client);
    await lock(client, print);
    await client.query(
      'create extension if not exists btree_gist; create extension if not exists unaccent; create extension if not exists pg_trgm; create extension if not exists btree_gin',
    );
    await provisionMonitor(client, ownerUrl);
    const applied: string[] = [];
    for (const source of sources) {
      applied.push(...(await migrateSchema(client, ownerUrl, source, { wanted, print })));
      if (source.jobs) applied.push(...(await migrateJobs(client, source.schema, print)));
    }
    return applied;
  } finally {
    await client.end();
  }
}

/** Statements call functions that PostgreSQL 18 introduced, such as uuidv7(). */
async function refuseOldServer(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ isOld: boolean }>(`select current_setting('server_version_num')::int < 180000 as "isOld"`);
  if (rows[0]?.isOld) throw new SettingsError('The PostgreSQL of DATABASE_URL is older than version 18: use a newer one');
}

/** Waits for the end of another migration of the database. */
async function lock(client: pg.Client, print: (line: string) => void): Promise<void> {
  // Not by pg_advisory_lock(): `create index concurrently` of the other migration waits for the end of all statements that run.
  for (let isWaiting = false; ; isWaiting = true) {
    const { rows } = await client.query<{ locked: boolean }>('select pg_try_advisory_lock($1) as locked', [LOCK]);
    if (rows[0]?.locked) return;
    if (!isWaiting) print('waiting until another migration of this database ends');
    await sleep(LOCK_PAUSE_MS);
  }
}

async function migrateSchema(
  client: pg.Client,
  ownerUrl: string,
  { schema, migrations }: SchemaSource,
  { wanted, print }: Required<Options>,
): Promise<string[]> {
  await provision(client, schema, ownerUrl);
  await client.query(`set search_path = ${schema}, public`);
  await client.query('create table if not exists migrations (name text primary key, sha256 text not null, applied_at timestamptz not null default now())');
  await client.query(`revoke all on migrations from clinic_${schema}, clinic_${schema}_system`);
  await client.query(`grant select on migrations to clinic_${schema}, clinic_${schema}_system`);
  const known = new Map(
    (await client.query<{ name: string; sha256: string }>('select name, sha256 from migrations')).rows.map((entry) => [entry.name, entry.sha256]),
  );
  const files = [...(await filesOf(COMMON_MIGRATIONS, 'lib/')), ...(await filesOf(migrations, ''))];
  for (const name of known.keys()) {
    if (!files.some((file) => file.name === name) && !isLater(name, files))
      throw new Error(`${schema}: migration ${name} was applied here but its file is missing: run the release that contains it, or a newer one`);
  }
  const applied: string[] = [];
  for (const file of files.filter(({ name }) => wanted(schema, name))) {
    const sha256 = createHash('sha256').update(file.text).digest('hex');
    const before = known.get(file.name);
    if (before === sha256) continue;
    if (before) throw new Error(`${schema}: migration ${file.name} was changed after it was applied: restore the file and add a new migration`);
    print(`applying ${schema}/${file.name}`);
    const alone = OUTSIDE.test(file.text);
    try {
      if (alone) for (const statement of file.text.split(/;\s*$/m)) await client.query(statement);
      await withShortWaits(client, print, async () => {
        if (!alone) await client.query(file.text);
        await client.query('insert into migrations (name, sha256) values ($1, $2)', [file.name, sha256]);
      });
    } catch (error) {
      throw new Error(`${schema}: migration ${file.name} failed: ${(error as Error).message}`, { cause: error });
    }
    applied.push(`${schema}/${file.name}`);
  }
  if (known.has(SYSTEM_LOGIN)) await forbidSwitch(client, schema);
  return applied;
}

/**
 * Runs `change` in a transaction, and repeats it as long as it has to wait for a lock, for example because a backup reads the table. All statements
 * that use the table wait behind a statement that waits for its lock, so each attempt waits for a short time only.
 */
async function withShortWaits(client: pg.Client, print: (line: string) => void, change: () => Promise<void>): Promise<void> {
  for (let pause = LOCK_PAUSE_MS; ; pause = Math.min(2 * pause, MAX_PAUSE_MS)) {
    try {
      await client.query(`begin; set local lock_timeout = '${LOCK_TIMEOUT}'`);
      await change();
      await client.query('commit');
      return;
    } catch (error) {
      await client.query('rollback');
      if ((error as pg.DatabaseError).code !== LOCK_NOT_AVAILABLE) throw error;
      if (pause === LOCK_PAUSE_MS) print('waiting for a lock: another transaction, such as that of a backup, uses the same tables');
      await sleep(pause);
    }
  }
}

/** Whether the migration belongs to a later release: its number is above those of the files beside it. */
const isLater = (name: string, files: { name: string }[]) => files.every((file) => path.dirname(file.name) !== path.dirname(name) || file.name < name);

/** The names of the migrations of a release, as they are stored in the table `migrations`. */
export async function migrationNames(folder: string): Promise<string[]> {
  return [...(await filesOf(COMMON_MIGRATIONS, 'lib/')), ...(await filesOf(folder, ''))].map(({ name }) => name);
}

async function filesOf(folder: string, prefix: string) {
  const names = (await readdir(folder)).filter((name) => /^\d{4}_[a-z0-9_]+\.sql$/.test(name)).sort();
  return Promise.all(names.map(async (name) => ({ name: prefix + name, text: await readFile(path.join(folder, name), 'utf8') })));
}

/** Creates the login clinic_<name>, or sets its password, which is derived from the owner's. */
async function ensureLogin(client: pg.Client, ownerUrl: string, name: string): Promise<void> {
  const role = `clinic_${name}`;
  const login = `login password '${rolePassword(ownerUrl, name)}'`;
  const attributes = `${login} nosuperuser nobypassrls nocreatedb nocreaterole`;
  // An owner that is no superuser may create a role with these attributes, but may not alter them.
  await client.query(`do $$ begin create role ${role} ${attributes}; exception when duplicate_object then
    begin alter role ${role} ${attributes}; exception when insufficient_privilege then alter role ${role} ${login}; end;
  end $$`);
}

/** Creates the login of dashboards and of the PostgreSQL exporter. Where the owner may not grant pg_monitor, an administrator has to. */
async function provisionMonitor(client: pg.Client, ownerUrl: string): Promise<void> {
  await ensureLogin(client, ownerUrl, MONITOR);
  await client.query(`do $$ begin grant pg_monitor to clinic_${MONITOR}; exception when insufficient_privilege then null; end $$`);
}

/** Creates the schema and its two logins: the request role, and the system role, which the request role cannot become. */
async function provision(client: pg.Client, schema: string, ownerUrl: string): Promise<void> {
  await client.query(`create schema if not exists ${schema}`);
  for (const name of [schema, `${schema}_system`]) {
    const role = `clinic_${name}`;
    await ensureLogin(client, ownerUrl, name);
    // The same settings as in lib/db/db.ts: behind a pooler, the session parameters of a client are not applied.
    for (const setting of [`search_path = ${schema}`, "statement_timeout = '10s'", "idle_in_transaction_session_timeout = '15s'", "timezone = 'UTC'"]) {
      await client.query(`do $$ begin execute format('alter role ${role} in database %I set ${setting.replaceAll("'", "''")}', current_database()); end $$`);
    }
    await client.query(`grant usage on schema ${schema} to ${role}`);
    await client.query(`alter default privileges in schema ${schema} grant select, insert, update, delete on tables to ${role}`);
    await client.query(`alter default privileges in schema ${schema} grant usage on sequences to ${role}`);
  }
}

/**
 * In earlier releases the request role switches to the system role. The grant for that remains while processes of such a release run or may be
 * returned to. It is revoked by the first migration that finds the system login already installed and no such process.
 */
async function forbidSwitch(client: pg.Client, schema: string): Promise<void> {
  await client.query(`do $$ begin
    if not exists (select from running_processes where not system_login and last_seen_at > now() - interval '2 minutes') then
      revoke clinic_${schema}_system from clinic_${schema};
    end if;
  end $$`);
}

/** The password in the owner's URL, from which the passwords of the roles are derived. Throws a SettingsError when there is none. */
function ownerPassword(ownerUrl: string): string {
  const { password, host } = new URL(ownerUrl);
  if (!password)
    throw new SettingsError(
      `The owner's URL of the database at ${host} contains no password. The passwords of the services' roles are derived from it, so without it anybody could compute them: add the password, or a long random one if the server does not require any.`,
    );
  return password;
}

const rolePassword = (ownerUrl: string, name: string) => createHmac('sha256', ownerPassword(ownerUrl)).update(`role:${name}`).digest('base64url');

/** The URLs with which a service connects as its own roles. */
export function databaseUrls(ownerUrl: string, schema: string): DatabaseUrls {
  return { DATABASE_URL: roleUrl(ownerUrl, schema), DATABASE_SYSTEM_URL: roleUrl(ownerUrl, `${schema}_system`) };
}

/** The URL with which monitoring connects: its role may read the state of the server and the use of each clinic, and nothing else. */
export const monitorUrl = (ownerUrl: string) => roleUrl(ownerUrl, MONITOR);

function roleUrl(ownerUrl: string, name: string): string {
  const url = new URL(ownerUrl);
  url.username = `clinic_${name}`;
  url.password = rolePassword(ownerUrl, name);
  return url.toString();
}
