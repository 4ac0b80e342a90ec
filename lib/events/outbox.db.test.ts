import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { create } from '@bufbuild/protobuf';
import { AppointmentBookedSchema, type PatientCreated, PatientCreatedSchema } from '@clinic/proto/events/v1/scheduling_pb.js';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { headers, nanos } from 'nats';
import pino from 'pino';
import { v7 as uuidv7 } from 'uuid';
import { type Stoppable, stopAll } from '../background/stop.ts';
import { asSystem, closeDb, type Db, execute, inTenant, openDb, readSystem, row, type SystemTx, sql } from '../db/db.ts';
import { purge } from '../db/retention.ts';
import { streamBytes, streamMaxBytes, streamRebuilds } from '../telemetry/metrics.ts';
import { type TestDatabase, testDatabase } from '../testing/database.ts';
import { type TestNats, testNats } from '../testing/nats.ts';
import { waitFor } from '../testing/wait-for.ts';
import { startConsumers } from './consumers.ts';
import { type Consumer, type Delivered, type Envelope, subscribe, subscribeAll } from './events.ts';
import { handleOnce } from './inbox.ts';
import { connectNats, type Nats, STREAM } from './nats.ts';
import { emit, eventToken, startRelay } from './outbox.ts';

const log = pino({ level: 'silent' });
const CLINIC = randomUUID();

let database: TestDatabase;
let server: TestNats;
let running: Stoppable[];

beforeEach(async () => {
  running = [];
  [database, server] = await Promise.all([testDatabase(), testNats()]);
});

afterEach(async () => {
  await stopAll(running);
  await Promise.all([database.drop(), server.drop()]);
});

function connectDb(schema: string): Db {
  const db = openDb(database.urls(schema), { schema, max: 5, log });
  running.push({ stop: () => closeDb(db) });
  return db;
}

function connect(name: string, maxBytes?: number): Nats {
  const nats = connectNats(server.url, name, log, { replicas: 1, maxBytes });
  running.push(nats);
  return nats;
}

/** A replica of the producer. */
async function producer(maxBytes?: number): Promise<Db> {
  const db = connectDb('scheduling');
  running.push(await startRelay({ db, nats: connect('scheduling', maxBytes), log }));
  return db;
}

/** A replica of a consumer that inserts a row for each event, so that a repeated effect is visible. */
async function consumer(consumers: Consumer[], options: { ackWaitMs?: number } = {}): Promise<Db> {
  const db = connectDb('platform');
  running.push(await startConsumers(consumers, { service: 'platform', db, nats: connect('platform'), log, ...options }));
  return db;
}

const insertEffect = sql(
  'insert into audit_log (clinic_id, id, actor_kind, actor_id, action, entity, entity_id, ip, request_id) values ($1, $2, $3, $4, $5, $6, $7, $8, $9)',
);
const listEffects = sql<{ entity_id: string }>('select entity_id from audit_log');
const countUnpublished = sql<{ n: number }>('select count(*)::int as n from outbox where published_at is null');

const note = (tx: SystemTx, { patientId }: PatientCreated, { clinicId }: Envelope) =>
  execute(tx, insertEffect, [clinicId, randomUUID(), 'service', 'test', 'noted', 'patient', patientId, '', '']);
const notePatient = subscribe('note-patient', 'scheduling', PatientCreatedSchema, async (tx, event, envelope) => void (await note(tx, event, envelope)));

const emitPatient = (db: Db, patientId: string) => inTenant(db, CLINIC, (tx) => emit(tx, CLINIC, PatientCreatedSchema, { patientId }));

async function emitPatients(db: Db, count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, () => randomUUID());
  for (const id of ids) await emitPatient(db, id);
  return ids.sort();
}

const effects = async (db: Db) => (await readSystem(db, listEffects, [])).map((effect) => effect.entity_id).sort();
const unpublished = async (db: Db) => (await readSystem(db, countUnpublished, []))[0]?.n;

async function arrives(db: Db, ids: string[], timeoutMs?: number): Promise<void> {
  await waitFor(async () => (await effects(db)).length >= ids.length, timeoutMs);
  expect(await effects(db)).toEqual([...ids].sort());
}

describe('an event', () => {
  test('is handled once by its consumer', async () => {
    const [from, to] = [await producer(), await consumer([notePatient])];
    await arrives(to, await emitPatients(from, 20));
    await waitFor(async () => (await unpublished(from)) === 0);
  });

  test('has the subject of its clinic, service and name', async () => {
    const db = connectDb('scheduling');
    await emitPatient(db, randomUUID());
    const [found] = await readSystem(db, sql<{ subject: string; payload: object }>('select subject, payload from outbox'), []);
    expect(found?.subject).toBe(`clinic.${CLINIC}.scheduling.patient-created`);
    expect(eventToken(AppointmentBookedSchema)).toBe('appointment-booked');
  });

  test('of a transaction that is rolled back is not published', async () => {
    const [from, to] = [await producer(), await consumer([notePatient])];
    const undone = inTenant(from, CLINIC, async (tx) => {
      await emit(tx, CLINIC, PatientCreatedSchema, { patientId: randomUUID() });
      throw new Error('changed my mind');
    });
    await expect(undone).rejects.toThrow('changed my mind');
    await arrives(to, await emitPatients(from, 1));
  });

  test('is published at most once more when the stream was created before the clock was set back', async () => {
    const from = await producer();
    await emitPatient(from, randomUUID());
    await waitFor(async () => (await unpublished(from)) === 0);
    await asSystem(from, (tx) => execute(tx, sql("update published_stream set since = now() + interval '3 hours'")));
    await emitPatient(from, randomUUID());
    await waitFor(async () => (await unpublished(from)) === 0);
    const lost = sql<{ n: number }>('select count(*)::int as n from outbox where published_at < (select since from published_stream)');
    await waitFor(async () => expect(await readSystem(from, lost, [])).toEqual([{ n: 0 }]));
  });

  test('is published although it was committed after events with higher ids', async () => {
    const [from, to] = [await producer(), await consumer([notePatient])];
    const slow = randomUUID();
    const release = Promise.withResolvers<void>();
    const written = Promise.withResolvers<void>();
    const late = inTenant(from, CLINIC, async (tx) => {
      await emit(tx, CLINIC, PatientCreatedSchema, { patientId: slow });
      written.resolve();
      await release.promise;
    });
    await written.promise;
    const ids = await emitPatients(from, 3);
    await arrives(to, ids);
    release.resolve();
    await late;
    await arrives(to, [...ids, slow]);
  });

  test('is stored by one statement with the other events of its transaction, also those of other types', async () => {
    const from = connectDb('scheduling');
    const patientId = randomUUID();
    const last = await inTenant(from, CLINIC, async (tx) => {
      await emit(tx, CLINIC, PatientCreatedSchema, { patientId });
      await emit(tx, CLINIC, AppointmentBookedSchema, {});
      return tx.last;
    });
    expect(last).toHaveLength(1);
    const written = sql<{ subject: string; payload: object }>('select subject, payload from outbox order by id');
    expect(await readSystem(from, written, [])).toEqual([
      { subject: `clinic.${CLINIC}.scheduling.patient-created`, payload: { patientId } },
      { subject: `clinic.${CLINIC}.scheduling.appointment-booked`, payload: {} },
    ]);
  });

  test('is handled again after its handler failed, and its effect happens once', async () => {
    let failures = 2;
    const flaky = subscribe('flaky', 'scheduling', PatientCreatedSchema, async (tx, event, envelope) => {
      await note(tx, event, envelope);
      if (failures-- > 0) throw new Error('not yet');
    });
    const [from, to] = [await producer(), await consumer([flaky])];
    await arrives(to, await emitPatients(from, 1));
    expect(failures).toBe(-1);
  });

  test('shares a transaction with others, except those that were already handled', async () => {
    const db = connectDb('platform');
    const sizes: number[] = [];
    const together = subscribeAll(
      'together',
      'scheduling',
      PatientCreatedSchema,
      async (tx, events, read: number) => {
        sizes.push(events.length, read);
        for (const { event, envelope } of events) await note(tx, event, envelope);
      },
      { read: async (events) => events.length },
    );
    const events = Array.from({ length: 3 }, () => ({
      event: create(PatientCreatedSchema, { patientId: randomUUID() }),
      envelope: { id: randomUUID(), clinicId: CLINIC, subject: '' },
    }));
    const [first, ...others] = events as [(typeof events)[0], (typeof events)[0], (typeof events)[0]];
    expect(await handleOnce(db, together, [first])).toBe(1);
    expect(await handleOnce(db, together, [...events, ...others])).toBe(2);
    expect(await handleOnce(db, together, events)).toBe(0);
    expect(sizes).toEqual([1, 1, 2, 5]);
    expect(await effects(db)).toEqual(events.map(({ event }) => event.patientId).sort());
  });

  test('leaves no row in the inbox when it may be handled again or has no effect', async () => {
    const db = connectDb('platform');
    const handled: string[] = [];
    const record = async (_: SystemTx, events: Delivered<PatientCreated>[]) => void handled.push(...events.map(({ event }) => event.patientId));
    const [own, foreign] = [randomUUID(), randomUUID()];
    const events = [own, foreign].map((patientId) => ({
      event: create(PatientCreatedSchema, { patientId }),
      envelope: { id: randomUUID(), clinicId: CLINIC, subject: '' },
    }));
    const again = subscribeAll('again', 'scheduling', PatientCreatedSchema, record, { isRepeatable: () => true });
    const some = subscribeAll('some', 'scheduling', PatientCreatedSchema, record, {
      read: async () => own,
      concerns: ({ event }, read) => event.patientId === read,
    });
    expect([await handleOnce(db, again, events), await handleOnce(db, again, events)]).toEqual([2, 2]);
    expect([await handleOnce(db, some, events), await handleOnce(db, some, events)]).toEqual([2, 1]);
    expect(handled).toEqual([own, foreign, own, foreign, own]);
    const inbox = sql<{ consumer: string; event_id: string }>('select consumer, event_id from inbox');
    expect(await readSystem(db, inbox, [])).toEqual([{ consumer: 'some', event_id: events[0]?.envelope.id }]);
  });

  test('is handled alone when it cannot be handled together with others', async () => {
    const bad = randomUUID();
    const together = subscribeAll('together', 'scheduling', PatientCreatedSchema, async (tx, events) => {
      for (const { event, envelope } of events) await note(tx, event, envelope);
      if (events.length > 1 && events.some(({ event }) => event.patientId === bad)) throw new Error('not together');
    });
    const from = await producer();
    const ids = [...(await emitPatients(from, 30)), bad, ...(await emitPatients(from, 30))];
    await emitPatient(from, bad);
    await waitFor(async () => (await unpublished(from)) === 0);
    await arrives(await consumer([together]), ids);
  });

  test('that cannot be parsed is dropped, and the next one is handled', async () => {
    const [from, to] = [await producer(), await consumer([notePatient])];
    await arrives(to, await emitPatients(from, 1));
    const nats = await connect('test').connected();
    await nats?.jetstream().publish(`clinic.${CLINIC}.scheduling.patient-created`, '{"patientId": 5}', { msgID: randomUUID() });
    await nats?.jetstream().publish(`clinic.${CLINIC}.scheduling.patient-created`, '{"patientId": "no id"}');
    const before = await effects(to);
    const [id = ''] = await emitPatients(from, 1);
    await arrives(to, [...before, id]);
    const manager = await nats?.jetstreamManager();
    await waitFor(async () => (await manager?.consumers.info(STREAM, 'platform-note-patient'))?.num_ack_pending === 0);
  });

  test('with a field of a newer version is handled', async () => {
    const to = await consumer([notePatient]);
    const nats = await connect('test').connected();
    const patientId = randomUUID();
    const published = await waitFor(() =>
      nats?.jetstream().publish(`clinic.${CLINIC}.scheduling.patient-created`, JSON.stringify({ patientId, hat: 'red' }), { msgID: randomUUID() }),
    );
    expect(published?.stream).toBe(STREAM);
    await arrives(to, [patientId]);
  });
});

describe('replicas', () => {
  test('an event that was delivered to a killed process is handled by another one within 30 s', async () => {
    const from = await producer();
    const killed = spawn(process.execPath, [path.join(import.meta.dirname, '../testing/consumer-process.ts'), database.ownerUrl, server.url], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const firstOutput = once(killed.stdout, 'data');
    const ids = await emitPatients(from, 3); // one is being handled, two wait in the process
    await firstOutput;
    killed.kill('SIGKILL');
    await once(killed, 'exit');
    await arrives(await consumer([notePatient]), ids, 30_000);
  });

  test('an event whose handling takes longer than the redelivery timeout is delivered once, and so are the events that wait behind it', async () => {
    const deliveries: string[] = [];
    const slow = subscribe('slow', 'scheduling', PatientCreatedSchema, async (_tx, event) => {
      deliveries.push(event.patientId);
      if (deliveries.length === 1) await sleep(2_000);
    });
    const from = await producer();
    for (const _ of ['one', 'another']) await consumer([slow], { ackWaitMs: 900 });
    const ids = await emitPatients(from, 3);
    await waitFor(() => new Set(deliveries).size === 3);
    const manager = await (await connect('test').connected())?.jetstreamManager();
    await waitFor(async () => (await manager?.consumers.info(STREAM, 'platform-slow'))?.num_ack_pending === 0);
    expect((await manager?.consumers.info(STREAM, 'platform-slow'))?.delivered.consumer_seq).toBe(3);
    expect(deliveries.toSorted()).toEqual(ids);
  });

  test('a consumer that an earlier release created gets the current redelivery timeout', async () => {
    const ackWait = async () => (await manager?.consumers.info(STREAM, 'platform-note-patient'))?.config.ack_wait;
    const to = await consumer([notePatient], { ackWaitMs: 30_000 });
    const manager = await (await connect('test').connected())?.jetstreamManager();
    await waitFor(async () => (await ackWait().catch(() => undefined)) === nanos(30_000));
    await consumer([notePatient]);
    await waitFor(async () => (await ackWait()) === nanos(10_000));
    await arrives(to, await emitPatients(await producer(), 2));
  });

  test('two relays and two consumers handle each event once', async () => {
    const [one, two] = [await producer(), await producer()];
    const to = await consumer([notePatient]);
    await consumer([notePatient]);
    const ids = (await Promise.all([emitPatients(one, 60), emitPatients(two, 60)])).flat();
    await arrives(to, ids);
    await waitFor(async () => (await unpublished(one)) === 0);
  });

  test('a relay publishes the events of a replica that has no relay', async () => {
    await producer();
    const [silent, to] = [connectDb('scheduling'), await consumer([notePatient])];
    await arrives(to, await emitPatients(silent, 3));
  });

  test('five deliveries of one event have one effect', async () => {
    const to = await consumer([notePatient]);
    const nats = await connect('test').connected();
    const [id, patientId] = [randomUUID(), randomUUID()];
    const header = headers();
    header.set('Clinic-Event-Id', id);
    for (let i = 0; i < 5; i++) {
      await waitFor(() => nats?.jetstream().publish(`clinic.${CLINIC}.scheduling.patient-created`, JSON.stringify({ patientId }), { headers: header }));
    }
    const manager = await nats?.jetstreamManager();
    await waitFor(async () => (await manager?.consumers.info(STREAM, 'platform-note-patient'))?.ack_floor.stream_seq === 5);
    expect(await effects(to)).toEqual([patientId]);
  });
});

describe('NATS', () => {
  test('may be unavailable at the start, and later', async () => {
    await server.stop();
    const [from, to] = [await producer(), await consumer([notePatient])];
    const first = await emitPatients(from, 5);
    expect(await unpublished(from)).toBe(5);
    await server.start();
    await arrives(to, first);
    await server.stop();
    const second = await emitPatients(from, 5);
    await server.start();
    await arrives(to, [...first, ...second]);
  });

  test('may be restarted after the clock was set back', async () => {
    const [from, to] = [await producer(), await consumer([notePatient])];
    const first = await emitPatients(from, 5);
    await arrives(to, first);
    const real = Date.now;
    const clock = jest.spyOn(Date, 'now').mockImplementation(() => real() - 3_600_000);
    await server.stop();
    await server.start();
    await arrives(to, [...first, ...(await emitPatients(from, 5))]);
    clock.mockRestore();
  });

  test('refuses events of a full stream, which wait in the outbox, and loses none', async () => {
    const from = await producer(20_000);
    await emitPatients(from, 100);
    await waitFor(async () => ((await streamBytes.get()).values[0]?.value ?? 0) > 15_000);
    expect((await streamMaxBytes.get()).values).toMatchObject([{ value: 20_000 }]);
    const waiting = await unpublished(from);
    expect(waiting).toBeGreaterThan(0);
    const manager = await (await connect('operator').connected())?.jetstreamManager();
    const state = (await manager?.streams.info(STREAM))?.state;
    expect([state?.first_seq, (state?.messages ?? 0) + (waiting ?? 0)]).toEqual([1, 100]);
    await manager?.streams.update(STREAM, { max_bytes: 1_000_000 });
    await waitFor(async () => (await unpublished(from)) === 0);
    expect((await manager?.streams.info(STREAM))?.state.messages).toBe(100);
  });

  test('may lose its whole store: the stream is rebuilt, also for a later consumer', async () => {
    const [from, to] = [await producer(), await consumer([notePatient])];
    const before = await emitPatients(from, 300);
    await arrives(to, before);
    await waitFor(async () => (await unpublished(from)) === 0);
    await server.stop();
    server.wipe();
    const during = await emitPatients(from, 5);
    await server.start();
    await arrives(to, [...before, ...during]);
    const late: string[] = [];
    await consumer([subscribe('late', 'scheduling', PatientCreatedSchema, async (_tx, event) => void late.push(event.patientId))]);
    await waitFor(() => late.length >= 305);
    expect(late.sort()).toEqual([...before, ...during].sort());
  });

  test('may lose the stream, or the consumer, while it runs', async () => {
    const [from, to] = [await producer(), await consumer([notePatient])];
    const nats = await connect('operator').connected();
    const manager = await nats?.jetstreamManager();
    const ids = await emitPatients(from, 5);
    await arrives(to, ids);
    await manager?.streams.delete(STREAM);
    ids.push(...(await emitPatients(from, 5)));
    await arrives(to, ids);
    await manager?.consumers.delete(STREAM, 'platform-note-patient');
    ids.push(...(await emitPatients(from, 5)));
    await arrives(to, ids);
  });

  test('may lose acknowledged events at the end of the stream: two relays rebuild it once', async () => {
    const [from, to] = [await producer(), await consumer([notePatient])];
    await producer();
    const rebuilds = async () => (await streamRebuilds.get()).values.reduce((sum, { value }) => sum + value, 0);
    const rebuildsBefore = await rebuilds();
    const nats = await connect('operator').connected();
    const manager = await nats?.jetstreamManager();
    const before = await emitPatients(from, 5);
    await arrives(to, before);
    await waitFor(async () => (await unpublished(from)) === 0);
    const lost = await manager?.streams.info(STREAM);
    await manager?.streams.deleteMessage(STREAM, lost?.state.last_seq ?? 0);
    await waitFor(async () => (await manager?.streams.info(STREAM))?.created !== lost?.created);
    await waitFor(async () => (await manager?.streams.info(STREAM))?.state.messages === 5);
    expect(await effects(to)).toEqual(before);
    expect((await rebuilds()) - rebuildsBefore).toBe(1);
  });
});

describe('retention', () => {
  test('deletes published events after 30 days and inbox rows after 60, but no unpublished event', async () => {
    const db = connectDb('scheduling');
    const day = 86_400_000;
    await emitPatient(db, randomUUID());
    await asSystem(db, (tx) =>
      execute(
        tx,
        sql(
          `insert into inbox (consumer, event_id, handled_at) select consumer, id, uuid_extract_timestamp(id) from unnest($1::uuid[]) as event (id), unnest(array['a', 'b', 'c']) as name (consumer)`,
        ),
        [[28, 30, 32].map((days) => uuidv7({ msecs: Date.now() - days * day }))],
      ),
    );
    const count = async () =>
      asSystem(db, (tx) =>
        row(tx, sql<{ outbox: number; inbox: number }>('select (select count(*)::int from outbox) as outbox, (select count(*)::int from inbox) as inbox')),
      );
    await purge(db, Date.now() + 31 * day);
    expect(await count()).toEqual({ outbox: 1, inbox: 3 });
    await asSystem(db, (tx) => execute(tx, sql('update outbox set published_at = now()')));
    await purge(db, Date.now() + 29 * day);
    expect(await count()).toEqual({ outbox: 1, inbox: 3 });
    await purge(db, Date.now() + 31 * day);
    expect(await count()).toEqual({ outbox: 0, inbox: 3 });
  });
});
