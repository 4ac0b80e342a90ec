// The two logins of a service: the request role cannot become the system role by any setting.
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { type TestDatabase, testDatabase } from '../testing/database.ts';
import { databaseUrls, migrate } from './migrate.ts';

let database: TestDatabase;
let owner: pg.Client;
const [own, other] = [randomUUID(), randomUUID()];

beforeAll(async () => {
  database = await testDatabase();
  owner = await connect(database.ownerUrl);
  for (const clinicId of [own, other]) await owner.query(`insert into scheduling.audit_pending values ($1, $2)`, [clinicId, randomUUID()]);
});
afterAll(async () => {
  await owner.end();
  await database.drop();
});

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return client;
}
const clinicsSeen = async (client: pg.Client) =>
  (await client.query<{ clinic_id: string }>('select clinic_id from scheduling.audit_pending')).rows.map(({ clinic_id }) => clinic_id);

const SYSTEM = 'clinic_scheduling_system';

test.each([
  `set role ${SYSTEM}`,
  `set local role ${SYSTEM}`,
  `select set_config('role', '${SYSTEM}', true)`,
  `set session authorization ${SYSTEM}`,
  `select set_config('session_authorization', '${SYSTEM}', true)`,
  `grant ${SYSTEM} to clinic_scheduling`,
  `alter role ${SYSTEM} password 'guessed'`,
  'alter role clinic_scheduling bypassrls',
  'alter table scheduling.audit_pending disable row level security',
  'drop policy tenant on scheduling.audit_pending',
])('the request role may not: %s', async (attempt) => {
  const client = await connect(database.urls('scheduling').DATABASE_URL);
  try {
    await client.query(`select set_config('app.clinic_id', $1, false)`, [own]);
    await expect(client.query(attempt)).rejects.toMatchObject({ code: '42501' });
    expect(await clinicsSeen(client)).toEqual([own]);
    for (const setting of ["'app.clinic_id', ''", "'app.system', 'true'", "'row_security', 'on'"]) await client.query(`select set_config(${setting}, false)`);
    expect(await clinicsSeen(client)).toEqual([]);
  } finally {
    await client.end();
  }
});

test('the system role sees all clinics, by a login with a password of its own', async () => {
  const { DATABASE_URL, DATABASE_SYSTEM_URL } = database.urls('scheduling');
  const client = await connect(DATABASE_SYSTEM_URL);
  expect(await clinicsSeen(client)).toEqual(expect.arrayContaining([own, other]));
  await client.end();
  expect(new URL(DATABASE_SYSTEM_URL).password).not.toBe(new URL(DATABASE_URL).password);
});

test('processes of an earlier release switch roles until they have ended and the migration runs once more', async () => {
  const migrations = mkdtempSync(path.join(os.tmpdir(), 'clinic-migrations-'));
  const sources = [{ schema: 'upgraded', migrations }];
  const run = () => migrate(database.ownerUrl, sources);
  const switches = async () => {
    const client = await connect(databaseUrls(database.ownerUrl, 'upgraded').DATABASE_URL);
    const allowed = await client.query('set role clinic_upgraded_system').then(
      () => true,
      () => false,
    );
    await client.end();
    return allowed;
  };
  try {
    // As an earlier release leaves it.
    await migrate(database.ownerUrl, sources, { wanted: (_schema, name) => name < 'lib/0008' });
    await owner.query('grant clinic_upgraded_system to clinic_upgraded with inherit false, set true');
    expect(await run()).toContain('upgraded/lib/0008_system_login.sql');
    expect(await switches()).toBe(true);

    await owner.query(`insert into upgraded.running_processes (process_id, host, pid, encryption_key_ids) values ($1, 'earlier', 1, '{}')`, [randomUUID()]);
    await run();
    expect(await switches()).toBe(true);

    await owner.query('delete from upgraded.running_processes');
    await run();
    expect(await switches()).toBe(false);
  } finally {
    rmSync(migrations, { recursive: true, force: true });
    await owner.query('drop owned by clinic_upgraded, clinic_upgraded_system; drop role clinic_upgraded; drop role clinic_upgraded_system');
  }
});
