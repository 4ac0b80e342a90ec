// Numbers that were confirmed by releases without proofs still receive messages after the upgrade, whichever role owns the schema.
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { migrate } from '@clinic/lib/db/migrate.ts';
import { type TestDatabase, testDatabase } from '@clinic/lib/testing/database.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';

const MIGRATIONS = path.join(import.meta.dirname, '../migrations');
const SCHEMA = 'messaging_before';

let database: TestDatabase;
let client: pg.Client;
beforeAll(async () => {
  database = await testDatabase();
  client = new pg.Client({ connectionString: database.ownerUrl });
  await client.connect();
  await migrate(database.ownerUrl, [{ schema: SCHEMA, migrations: MIGRATIONS }], { wanted: (_schema, name) => name.startsWith('lib/') || name < '0005' });
  await client.query(`set search_path = ${SCHEMA}, public`);
});
afterAll(async () => {
  await client.end();
  await database.drop();
});

test.each([
  ['active', '', true],
  ['failed', '+503 7000 0000', true],
  ['verifying', '+503 7000 0000', true],
  ['failed', '', false],
  ['verifying', '', false],
  ['pending_otp', '+50370000000', false],
  ['disconnected', '', false],
])('a channel that is %s and shows the number "%s" is proven: %s', async (status, shown, proven) => {
  const [clinic, number] = [randomUUID(), randomUUID()];
  const role = `owner_${clinic.replaceAll('-', '')}`;
  await client.query('begin');
  await client.query('insert into channels (clinic_id, status, display_number, phone_number_id) values ($1, $2, $3, $4)', [clinic, status, shown, number]);
  // As on a server without access to a superuser.
  await client.query(`create role ${role} nosuperuser nobypassrls; grant usage, create on schema ${SCHEMA} to ${role}`);
  await client.query(`alter table channels owner to ${role}; alter table chat_events owner to ${role}; set local role ${role}`);
  await client.query(readFileSync(path.join(MIGRATIONS, '0005_number_proof.sql'), 'utf8'));
  await client.query('reset role');
  const { rows } = await client.query('select proven_number_id from channels where clinic_id = $1', [clinic]);
  const forced = await client.query("select relforcerowsecurity as forced from pg_class where oid = 'channels'::regclass");
  await client.query('rollback');
  expect(rows).toEqual([{ proven_number_id: proven ? number : null }]);
  expect(forced.rows).toEqual([{ forced: true }]);
});
