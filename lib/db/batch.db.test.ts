// Batches of statements: reads see one clinic and leave no setting on the connection, errors are reported like those of single statements.
import { randomUUID } from 'node:crypto';
import type { EventEmitter } from 'node:events';
import type { Writable } from 'node:stream';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import pino from 'pino';
import { audit } from '../audit/audit.ts';
import { serviceCaller } from '../rpc/caller.ts';
import { testDatabase } from '../testing/database.ts';
import { waitFor } from '../testing/wait-for.ts';
import { closeDb, type Db, executeLast, inTenant, openDb, readSystem, readTenant, row, rows, sql } from './db.ts';

const clinics = Array.from({ length: 5 }, () => randomUUID());
const whose = sql<{ clinic_id: string; at: Date; n: bigint }>('select clinic_id, at, count(*) over () as n from audit_log where entity = $1');
const state = sql<{ who: string; clinic: string }>(`select current_user as who, coalesce(current_setting('app.clinic_id', true), '') as clinic`);

let database: Awaited<ReturnType<typeof testDatabase>>;
let db: Db;

beforeAll(async () => {
  database = await testDatabase();
  db = openDb(database.urls('scheduling'), { schema: 'scheduling', max: 2, log: pino({ level: 'silent' }) });
  const caller = serviceCaller('messaging', 'request-1');
  for (const clinic of clinics) await inTenant(db, clinic, (tx) => audit(tx, clinic, caller, { action: 'patient.updated', entityId: 'i' }));
});
afterAll(async () => {
  await closeDb(db);
  await database.drop();
});

const left = async () => (await db.pool.query(state.text)).rows[0];

test('concurrent reads each see their own clinic; the system sees all clinics', async () => {
  const reads = Array.from({ length: 200 }, async (_, n) => {
    const clinic = clinics[n % clinics.length] as string;
    const found = await readTenant(db, clinic, whose, ['patient']);
    expect(found).toEqual([{ clinic_id: clinic, at: expect.any(Date), n: 1n }]);
    if (n % 10 === 0) expect(await readSystem(db, whose, ['patient'])).toHaveLength(clinics.length);
  });
  await Promise.all(reads);
});

test('no tenant stays set on the connection', async () => {
  const before = await left();
  const [clinic] = clinics as [string];
  const [inside] = await readTenant(db, clinic, state, []);
  expect(inside).toEqual({ who: before.who, clinic });
  expect((await readSystem(db, state, []))[0]).toEqual({ who: 'clinic_scheduling_system', clinic: '' });
  for (let n = 0; n < 4; n++) expect(await left()).toEqual(before);
});

test('a failing statement reports its error, and the connection stays usable', async () => {
  const [clinic] = clinics as [string];
  const broken = sql<{ n: number }>('select 1 / $1::int as n');
  const unknown = sql('select no_such_column from audit_log');
  for (let n = 0; n < 3; n++) {
    await expect(readTenant(db, clinic, broken, [0])).rejects.toThrow('division by zero');
    await expect(readTenant(db, clinic, unknown, [])).rejects.toThrow('no_such_column');
    expect(await readTenant(db, clinic, broken, [1])).toEqual([{ n: 1 }]);
    expect((await left()).clinic).toBe('');
  }
  await expect(readTenant(db, 'no uuid', whose, ['patient'])).rejects.toThrow('UUID of a clinic');
});

test('a connection that breaks during a read is replaced', async () => {
  const [clinic] = clinics as [string];
  const asleep = readTenant(db, clinic, sql('select pg_sleep(30)'), []);
  const gone = expect(asleep).rejects.toThrow();
  const end = sql(`select pg_terminate_backend(pid) from pg_stat_activity where query like '%pg_sleep(30)%' and pid <> pg_backend_pid() and state = 'active'`);
  await waitFor(async () => (await readTenant(db, clinic, end, [])).length === 1);
  await gone;
  for (let n = 0; n < 4; n++) expect(await readTenant(db, clinic, whose, ['patient'])).toHaveLength(1);
});

test('the columns of a statement are described once for each connection', async () => {
  const [clinic] = clinics as [string];
  const client = await db.pool.connect();
  const described = jest.fn();
  (client as unknown as { connection: EventEmitter }).connection.on('rowDescription', described);
  const counted = sql<{ n: number; at: Date }>('select $1::int as n, now() as at');
  client.release();
  for (let n = 0; n < 10; n++) {
    expect(await readTenant(db, clinic, counted, [n])).toEqual([{ n, at: expect.any(Date) }]);
    expect(await inTenant(db, clinic, (tx) => row(tx, counted, [n]))).toEqual({ n, at: expect.any(Date) });
  }
  expect(described).toHaveBeenCalledTimes(1);
});

test('a transaction is sent in one packet for each turn, with one Sync', async () => {
  const [clinic] = clinics as [string];
  const { client, stream } = await inTenant(db, clinic, async (tx) => ({
    client: tx.client,
    stream: (tx.client as unknown as { connection: { stream: Writable } }).connection.stream,
  }));
  const written = jest.spyOn(stream, 'write');
  const ready = jest.fn();
  (client as unknown as { connection: EventEmitter }).connection.on('readyForQuery', ready);
  await inTenant(db, clinic, async (tx) => {
    await Promise.all([rows(tx, state), rows(tx, state)]);
    await rows(tx, state);
    executeLast(tx, state, []);
  });
  expect([written.mock.calls.length, ready.mock.calls.length]).toEqual([3, 3]);
  written.mockRestore();
});

test('statements after one that fails are skipped, fail with its error, and can be executed later', async () => {
  const [clinic] = clinics as [string];
  const skipped = sql<{ n: number }>('select $1::int + 1 as n');
  const outcomes = await inTenant(db, clinic, (tx) =>
    Promise.allSettled([row(tx, skipped, [1]), rows(tx, sql('select 1 / $1::int'), [0]), row(tx, sql('select $1::int + 2 as n'), [1])]),
  ).catch((error) => error.message);
  expect(outcomes).toBe('division by zero');
  for (let n = 0; n < 4; n++) {
    expect(await inTenant(db, clinic, (tx) => Promise.all([row(tx, skipped, [1]), row(tx, sql('select $1::int + 2 as n'), [1])]))).toEqual([
      { n: 2 },
      { n: 3 },
    ]);
  }
});

test('a value that cannot be sent fails the transaction, and the connection is replaced', async () => {
  const [clinic] = clinics as [string];
  const circular: { self?: unknown } = {};
  circular.self = circular;
  await expect(inTenant(db, clinic, (tx) => row(tx, state, [circular]))).rejects.toThrow(/circular/i);
  for (let n = 0; n < 4; n++) expect(await readTenant(db, clinic, whose, ['patient'])).toHaveLength(1);
});
