// A running process is listed with its encryption keys until it stops or has not renewed its announcement for two minutes.
import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { closeDb, type Db, openDb } from '../db/db.ts';
import { createLog } from '../telemetry/log.ts';
import { type TestDatabase, testDatabase } from '../testing/database.ts';
import { waitFor } from '../testing/wait-for.ts';
import { announceProcess, listRunningProcesses } from './running-processes.ts';

const log = createLog('test', 'silent');
const ring = (...ids: string[]) => ids.map((id) => ({ id, key: randomBytes(32) }));

let database: TestDatabase;
let owner: pg.Client;
let db: Db;
beforeAll(async () => {
  database = await testDatabase();
  owner = new pg.Client({ connectionString: database.ownerUrl });
  await owner.connect();
  db = openDb(database.urls('scheduling'), { schema: 'scheduling', max: 4, log });
});
afterAll(async () => {
  await closeDb(db);
  await owner.end();
  await database.drop();
});

const keysOfAll = async () => (await listRunningProcesses(db)).map(({ encryption_key_ids }) => encryption_key_ids.join());
const lastSeen = (keys: string, ago: string) =>
  owner.query('update scheduling.running_processes set last_seen_at = now() - $2::interval where encryption_key_ids[1] = $1', [keys, ago]);

test('processes are listed with their keys, in the order of the ring, until they stop', async () => {
  expect(await listRunningProcesses(db)).toEqual([]);
  const old = await announceProcess({ db, keys: ring('k1'), log });
  const both = await announceProcess({ db, keys: ring('k2', 'k1'), log });
  expect(await listRunningProcesses(db)).toEqual([
    { host: hostname(), pid: process.pid, encryption_key_ids: ['k1'] },
    { host: hostname(), pid: process.pid, encryption_key_ids: ['k2', 'k1'] },
  ]);
  await old.stop();
  expect(await keysOfAll()).toEqual(['k2,k1']);
  await both.stop();
  expect(await keysOfAll()).toEqual([]);
});

test('a killed process counts as running for two minutes; its row is removed by the next announcement', async () => {
  const killed = await announceProcess({ db, keys: ring('killed'), log });
  await lastSeen('killed', '100 seconds');
  expect(await keysOfAll()).toEqual(['killed']);
  await lastSeen('killed', '121 seconds');
  expect(await keysOfAll()).toEqual([]);
  const next = await announceProcess({ db, keys: ring('next'), log });
  expect((await owner.query('select encryption_key_ids[1] as key from scheduling.running_processes')).rows).toEqual([{ key: 'next' }]);
  await next.stop();
  await killed.stop();
});

test('a process that was suspended for longer is listed again', async () => {
  const suspended = await announceProcess({ db, keys: ring('suspended'), log, everyMs: 20 });
  await owner.query('delete from scheduling.running_processes');
  await waitFor(async () => (await keysOfAll()).includes('suspended'));
  await suspended.stop();
  expect(await keysOfAll()).toEqual([]);
});
