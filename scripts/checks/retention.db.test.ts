// docs/retention.md lists every table once, and the jobs that it names exist.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type TestDatabase, testDatabase } from '@clinic/lib/testing/database.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { PROJECT, SERVICES } from '../schemas.ts';

const SCHEMAS = [...SERVICES, 'gateway'];
const page = readFileSync(path.join(PROJECT, 'docs/retention.md'), 'utf8');
const rows = [...page.matchAll(/^\| ([a-z ]+) \| (`.*?`) \| (.+?) \| (.*) \|$/gm)].map(([, schema = '', tables = '', retained = '', by = '']) => ({
  schema,
  tables: [...tables.matchAll(/`(\w+)`/g)].map(([, table]) => table),
  retained,
  by,
}));

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.drop());

test('each table of each schema is listed', async () => {
  const client = new pg.Client({ connectionString: database.ownerUrl });
  await client.connect();
  const found = await client.query<{ name: string }>(
    `select table_schema || '.' || table_name as name from information_schema.tables where table_schema = any($1) and table_type = 'BASE TABLE' order by 1`,
    [SCHEMAS],
  );
  await client.end();
  const common = rows.filter(({ schema }) => schema === 'every one').flatMap(({ tables }) => tables);
  const listed = rows
    .filter(({ schema }) => schema !== 'every one')
    .flatMap(({ schema, tables }) => tables.map((table) => `${schema}.${table}`))
    .concat(SCHEMAS.flatMap((schema) => common.map((table) => `${schema}.${table}`)));
  expect(found.rows.map(({ name }) => name)).toEqual(listed.toSorted());
});

test('each table is retained with a reason, or deleted by something', () => {
  const code = execFileSync('git', ['grep', '--untracked', '-hoE', "job[^(]*\\('[a-z-]+'", '--', 'services'], { cwd: PROJECT, encoding: 'utf8' });
  const jobs = rows.filter(({ by }) => by.startsWith('job')).flatMap(({ by }) => [...by.matchAll(/`([a-z-]+)`/g)].map(([, job]) => job));
  expect(jobs.filter((job) => !code.includes(`('${job}'`))).toEqual([]);
  for (const { tables, retained, by } of rows) expect([tables, /^(retained|with|until the patient)/.test(retained) || by !== '']).toEqual([tables, true]);
});
