// The rotation of single columns; services/scheduling/patients/key-rotation.db.test.ts rotates the key of a running service.
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { closeDb, type Db, openDb } from '../db/db.ts';
import { createLog } from '../telemetry/log.ts';
import { type TestDatabase, testDatabase } from '../testing/database.ts';
import { decryptBytes, encrypt } from './crypto.ts';
import { reencrypt } from './reencrypt.ts';

const [older, newer] = ['k1', 'k2'].map((id) => ({ id, key: randomBytes(32) })) as [{ id: string; key: Buffer }, { id: string; key: Buffer }];
const context = ({ id }: { id: number }) => `bytes/${id}`;

let database: TestDatabase;
let owner: pg.Client;
let db: Db;
beforeAll(async () => {
  database = await testDatabase();
  owner = new pg.Client({ connectionString: database.ownerUrl });
  await owner.connect();
  db = openDb(database.urls('scheduling'), { schema: 'scheduling', max: 4, log: createLog('test', 'silent') });
});
afterAll(async () => {
  await closeDb(db);
  await owner.end();
  await database.drop();
});

test('a value that is not UTF-8 is the same after a rotation', async () => {
  await owner.query('create table scheduling.bytes (id int primary key, value bytea not null); grant all on scheduling.bytes to public');
  const value = Buffer.from([0xff, 0x00, 0xd8, 0x80]);
  await owner.query('insert into scheduling.bytes values (1, $1)', [encrypt([older], value, context({ id: 1 }))]);
  expect(await reencrypt(db, [newer, older], { table: 'bytes', key: ['id'], column: 'value', context: context as never })).toEqual({ done: 1, failed: 0 });
  const { rows } = await owner.query<{ value: Buffer }>('select value from scheduling.bytes');
  expect(decryptBytes([newer], rows[0]?.value ?? Buffer.alloc(0), context({ id: 1 }))).toEqual(value);
});
