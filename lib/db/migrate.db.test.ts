// Migrations: the owner and its password, files that run outside a transaction and again after an interruption, locks, and schemas of later releases.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { type TestDatabase, testDatabase } from '../testing/database.ts';
import { waitFor } from '../testing/wait-for.ts';
import { waitForLocked } from '../testing/wait-for-locked.ts';
import { databaseUrls, migrate } from './migrate.ts';

let database: TestDatabase;
let folder: string;
let owner: pg.Client;
beforeAll(async () => {
  database = await testDatabase();
  folder = mkdtempSync(path.join(os.tmpdir(), 'clinic-migrations-'));
  owner = new pg.Client({ connectionString: database.ownerUrl });
  await owner.connect();
});
afterAll(async () => {
  await owner.end();
  await database.drop();
  rmSync(folder, { recursive: true, force: true });
});

const write = (name: string, text: string) => writeFileSync(path.join(folder, name), text);
const run = () => migrate(database.ownerUrl, [{ schema: 'probe', migrations: folder }]);
const validIndexes = async () =>
  (await owner.query(`select indexrelid::regclass::text as name from pg_index where indisvalid and indexrelid::regclass::text like 'probe.things_by_%'`)).rows;

test('an owner without a password is refused before any role or schema is created, since anybody could compute the passwords of the roles', async () => {
  const { password } = new URL(database.ownerUrl);
  expect(new URL(databaseUrls(database.ownerUrl, 'bare').DATABASE_URL).password).not.toBe(password);
  const [bare, saved] = [database.ownerUrl.replace(`:${password}@`, '@'), process.env.PGPASSWORD];
  process.env.PGPASSWORD = password;
  try {
    await expect(migrate(bare, [{ schema: 'bare', migrations: folder }])).rejects.toThrow(/contains no password/);
  } finally {
    if (saved === undefined) delete process.env.PGPASSWORD;
    else process.env.PGPASSWORD = saved;
  }
  expect((await owner.query(`select from pg_roles where rolname like 'clinic_bare%'`)).rowCount).toBe(0);
  expect((await owner.query(`select from pg_namespace where nspname = 'bare'`)).rowCount).toBe(0);
});

test('an owner that is no superuser can migrate again', async () => {
  const url = new URL(database.ownerUrl);
  const name = url.pathname.slice(1); // the roles of all databases of the server have distinct names
  await owner.query(`create role owner_${name} login createrole password '${url.password}'`);
  await owner.query(`grant create on database ${name} to owner_${name}; grant clinic_monitor to owner_${name} with admin option`);
  url.username = `owner_${name}`;
  write('0001_first.sql', 'select 1;');
  const migrating = () => migrate(url.toString(), [{ schema: name, migrations: folder, jobs: true }]);
  expect(await migrating()).toContain(`${name}/0001_first.sql`);
  expect(await migrating()).toEqual([]);
  rmSync(path.join(folder, '0001_first.sql'));
});

test('an index is built concurrently, and again after an interruption', async () => {
  write('0001_things.sql', 'create table things (id int, kind int);\ninsert into things values (1, 1), (2, 1);');
  await run();
  write(
    '0002_index.sql',
    `-- Why: found by kind.\n-- outside a transaction\ndrop index concurrently if exists things_by_kind;\ncreate unique index concurrently things_by_kind on things (kind);\n`,
  );
  await expect(run()).rejects.toThrow('probe: migration 0002_index.sql failed');
  expect(await validIndexes()).toEqual([]);
  await owner.query('update probe.things set kind = id');
  expect(await run()).toEqual(['probe/0002_index.sql']);
  expect(await validIndexes()).toEqual([{ name: 'probe.things_by_kind' }]);
  expect(await run()).toEqual([]);
});

test('each file is printed before it is applied, and so is the wait for another migration', async () => {
  // Waits for all statements that run, and so would a migration that waits in a statement.
  write('0003_slow.sql', '-- outside a transaction\ndrop index concurrently if exists things_by_id;\ncreate index concurrently things_by_id on things (id);\n');
  const lines: string[] = [];
  const migrating = () => migrate(database.ownerUrl, [{ schema: 'probe', migrations: folder }], { print: (line) => lines.push(line) });
  await owner.query('begin; lock table probe.things');
  const first = migrating();
  await waitFor(() => lines.length === 1);
  const second = migrating();
  await waitFor(() => lines.length === 2);
  await owner.query('commit');
  expect(await first).toEqual(['probe/0003_slow.sql']);
  expect(await second).toEqual([]);
  expect(lines).toEqual(['applying probe/0003_slow.sql', 'waiting until another migration of this database ends']);
});

test('so is the schema of the background jobs', async () => {
  const lines: string[] = [];
  const migrating = () => migrate(database.ownerUrl, [{ schema: 'probe', migrations: folder, jobs: true }], { print: (line) => lines.push(line) });
  const applied = await migrating();
  expect(applied).toEqual([expect.stringMatching(/^probe_jobs\/\d+$/)]);
  expect(await migrating()).toEqual([]);
  expect(lines).toEqual([`applying ${applied[0]}`]);
});

test('while a migration waits for a lock, others can use the table', async () => {
  write('0004_note.sql', 'alter table things add column note text;');
  const lines: string[] = [];
  const reader = new pg.Client({ connectionString: database.ownerUrl });
  await Promise.all([reader.connect(), owner.query('begin; lock table probe.things in access share mode')]); // as a backup does
  const migrating = migrate(database.ownerUrl, [{ schema: 'probe', migrations: folder }], { print: (line) => lines.push(line) });
  await waitForLocked(database.ownerUrl, 1, 'alter table things%');
  expect((await reader.query('select from probe.things')).rowCount).toBe(2);
  await Promise.all([reader.end(), owner.query('commit')]);
  expect(await migrating).toEqual(['probe/0004_note.sql']);
  expect(lines).toEqual(['applying probe/0004_note.sql', expect.stringMatching(/^waiting for a lock: /)]);
});

test('a schema of a later release is left as it is; a file that is missing among the others is an error', async () => {
  await owner.query(`insert into probe.migrations (name, sha256) values ('0005_later.sql', 'x'), ('lib/9999_later.sql', 'x')`);
  expect(await run()).toEqual([]);
  write('0006_own.sql', 'select 1;');
  await expect(run()).rejects.toThrow('probe: migration 0005_later.sql was applied here but its file is missing');
});
