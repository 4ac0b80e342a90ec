// Two relays of one outbox, each in a process of its own, while events are committed continuously.
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { on, once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { JetStreamManager } from 'nats';
import pg from 'pg';
import pino from 'pino';
import { closeDb, openDb } from '../db/db.ts';
import { type TestDatabase, testDatabase } from '../testing/database.ts';
import { type TestNats, testNats } from '../testing/nats.ts';
import { waitFor } from '../testing/wait-for.ts';
import { connectNats, ensureStream, type Nats, STREAM } from './nats.ts';
import { startRelay } from './outbox.ts';

const log = pino({ level: 'silent' });
const LOAD_SECONDS = Number(process.env.RELAY_LOAD_SECONDS ?? 10);

let database: TestDatabase;
let server: TestNats;
let nats: Nats;
let owner: pg.Pool;
let processes: Replica[];

beforeEach(async () => {
  processes = [];
  [database, server] = await Promise.all([testDatabase(), testNats()]);
  nats = connectNats(server.url, 'test', log);
  owner = new pg.Pool({ connectionString: database.ownerUrl, max: 2, options: '-c search_path=scheduling' });
  owner.on('error', () => {});
});

afterEach(async () => {
  for (const { child } of processes) child.kill('SIGKILL');
  await Promise.all([nats.stop(), owner.end()]);
  await Promise.all([database.drop(), server.drop()]);
});

type Replica = { child: ChildProcessWithoutNullStreams; lines: AsyncIterator<string[]> };

async function startReplica(mode: 'steady' | 'restarting'): Promise<Replica> {
  const child = spawn(process.execPath, [path.join(import.meta.dirname, '../testing/relay-process.ts'), database.ownerUrl, server.url, mode]);
  child.stderr.pipe(process.stderr);
  const lines = on(createInterface({ input: child.stdout }), 'line', { close: ['close'] });
  const replica = { child, lines };
  processes.push(replica);
  expect((await lines.next()).value).toEqual(['running']);
  return replica;
}

/** Ends the replica and returns how often it rebuilt the stream. */
async function stopReplica({ child, lines }: Replica): Promise<number> {
  const exited = once(child, 'exit');
  child.stdin.end();
  const rebuilds = JSON.parse((await lines.next()).value[0]) as { service: string; value: number }[];
  expect(await exited).toEqual([0, null]);
  expect(rebuilds).toEqual([{ service: 'scheduling', value: expect.any(Number) }]);
  return rebuilds[0]?.value ?? Number.NaN;
}

const stopReplicas = () => Promise.all(processes.map(stopReplica));
const manager = async () => (await nats.connected())?.jetstreamManager() as Promise<JetStreamManager>;
const streamInfo = async () => (await manager()).streams.info(STREAM);

async function outboxIds(): Promise<string[]> {
  return (await owner.query('select id from outbox order by id')).rows.map(({ id }) => id);
}

/** The ids of the events in the stream, each once. */
async function streamIds(): Promise<string[]> {
  const { messages } = (await streamInfo()).state;
  const consumer = await (await nats.connected())?.jetstream().consumers.get(STREAM);
  const ids = new Set<string>();
  let received = 0;
  const batch = await consumer?.consume();
  for await (const message of batch ?? []) {
    ids.add(message.headers?.get('Clinic-Event-Id') ?? '');
    if (++received === messages) break;
  }
  return [...ids].sort();
}

/** Publishes the events that the stopped replicas left in the outbox. */
function publishRest(): Promise<void> {
  const left = 'select 1 from outbox where published_at is null or published_at < (select since from published_stream) limit 1';
  return publishUntil(async () => (await owner.query(left)).rowCount === 0);
}

async function publishUntil(isDone: () => Promise<boolean>): Promise<void> {
  const db = openDb(database.urls('scheduling'), { schema: 'scheduling', max: 3, log });
  const relay = await startRelay({ db, nats, log });
  try {
    await waitFor(isDone, 60_000);
  } finally {
    await relay.stop();
    await closeDb(db);
  }
}

test('an intact stream is not rebuilt while relays publish and restart under load', async () => {
  await startReplica('steady');
  await startReplica('restarting');
  const { created } = await waitFor(streamInfo);
  await sleep(LOAD_SECONDS * 1_000);
  expect(await stopReplicas()).toEqual([0, 0]);
  await publishRest();
  expect((await streamInfo()).created).toBe(created);
  const written = await outboxIds();
  expect(written.length).toBeGreaterThan(1_000);
  expect(await streamIds()).toEqual(written);
});

test('a stream whose store was deleted is rebuilt once, with every event', async () => {
  await startReplica('steady');
  await startReplica('restarting');
  const { created } = await waitFor(streamInfo);
  await waitFor(async () => (await outboxIds()).length > 1_000);
  await server.stop();
  server.wipe();
  await server.start();
  await waitFor(async () => (await streamInfo()).created !== created);
  await waitFor(async () => (await owner.query('select 1 from published_stream where created_at <> $1', [created])).rowCount === 1);
  const rebuilds = await stopReplicas();
  await publishRest();
  expect(rebuilds.reduce((sum, value) => sum + value, 0)).toBe(1);
  expect(await streamIds()).toEqual(await outboxIds());
});

test('a stream that the server is creating for another client is requested again, since it has no creation time yet', async () => {
  const times = ['0001-01-01T00:00:00Z', '2026-05-04T03:02:01.5Z'];
  const streams = { info: async () => ({ config: {}, created: times.shift() }) };
  expect(await ensureStream({ streams } as unknown as JetStreamManager)).toMatchObject({ created: '2026-05-04T03:02:01.5Z' });
});

test('a stream is rebuilt with every event although the clock was set back after they were published', async () => {
  await owner.query(`insert into outbox (id, clinic_id, subject, payload)
    select uuidv7(), id, 'clinic.' || id || '.scheduling.appointment-booked', '{}' from (select gen_random_uuid() as id from generate_series(1, 10)) clinics`);
  await publishRest();
  await owner.query(`update outbox set published_at = published_at + interval '10 minutes'`);
  await server.stop();
  server.wipe();
  await server.start();
  await publishUntil(async () => (await streamInfo()).state.messages === 10);
  expect(await streamIds()).toEqual(await outboxIds());
});
