// A request is one trace through gRPC, SQL, outbox, NATS and a job to a provider. Spans contain no personal data and no ids.
import { randomUUID } from 'node:crypto';
import { PatientCreatedSchema } from '@clinic/proto/events/v1/scheduling_pb.js';
import { MailService } from '@clinic/proto/messaging/v1/mail_pb.js';
import { createClient } from '@connectrpc/connect';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { InMemorySpanExporter, type ReadableSpan, SimpleSpanProcessor } from '@opentelemetry/sdk-trace';
import pino from 'pino';
import { type Stoppable, stopAll } from '../background/stop.ts';
import { systemClock } from '../clock/clock.ts';
import { closeDb, type Db, execute, inTenant, openDb, readSystem, sql } from '../db/db.ts';
import { fail } from '../errors/errors.ts';
import { startConsumers } from '../events/consumers.ts';
import { subscribe } from '../events/events.ts';
import { connectNats } from '../events/nats.ts';
import { emit, startRelay } from '../events/outbox.ts';
import { enqueue, job, startJobs } from '../jobs/jobs.ts';
import { grpcTransport } from '../rpc/grpc-client.ts';
import { serveGrpc } from '../rpc/grpc-server.ts';
import { type Call, implement } from '../rpc/pipeline.ts';
import { asService } from '../testing/callers.ts';
import { testCredentials } from '../testing/credentials.ts';
import { type TestDatabase, testDatabase } from '../testing/database.ts';
import { type TestNats, testNats } from '../testing/nats.ts';
import { waitFor } from '../testing/wait-for.ts';
import { measureExternalCall } from './external-calls.ts';
import { createLog } from './log.ts';
import { continueTrace, currentTraceparent, inNewTrace, SpanKind } from './tracing.ts';
import { registerTracing } from './tracing-sdk.ts';

const log = pino({ level: 'silent' });
const CLINIC = randomUUID();
const PATIENT = randomUUID();
const PERSON = 'Xochitl Canaria';

let database: TestDatabase;
let nats: TestNats;
let running: Stoppable[];
let exporter: InMemorySpanExporter;
let db: Db;

beforeEach(async () => {
  running = [];
  exporter = new InMemorySpanExporter();
  [database, nats] = await Promise.all([testDatabase(), testNats()]);
  db = open('scheduling');
});
afterEach(async () => {
  await stopAll(running);
  await Promise.all([database.drop(), nats.drop()]);
});

function open(schema: string): Db {
  const opened = openDb(database.urls(schema), { schema, max: 4, log });
  running.push({ stop: () => closeDb(opened) });
  return opened;
}
function connect(name: string) {
  const connection = connectNats(nats.url, name, log);
  running.push(connection);
  return connection;
}
function sample(ratio: number): void {
  running.push(registerTracing({ process: 'test', processor: new SimpleSpanProcessor({ exporter }), ratio }));
}

const insertNote = sql(
  'insert into audit_log (clinic_id, id, actor_kind, actor_id, action, entity, entity_id, ip, request_id) values ($1, $2, $3, $4, $5, $6, $7, $8, $9)',
);
const note = (name: string) => [CLINIC, randomUUID(), 'service', 'test', name, 'note', name, '', ''];

/** A service with one RPC, which writes a row, an event and a job; their consumer and worker; and a client over gRPC. */
async function start(work: (call: Call) => Promise<void> = async () => {}) {
  const done: string[] = [];
  const implementation = implement({ log, constraints: {} }, MailService, {
    async sendMail(_app, _request, call) {
      await work(call);
      await inTenant(db, CLINIC, async (tx) => {
        await execute(tx, insertNote, note(PERSON));
        await emit(tx, CLINIC, PatientCreatedSchema, { patientId: PATIENT });
        await enqueue(tx, 'trace-test', { patientId: PATIENT });
      });
      return { id: '' };
    },
  });
  const queued = job<{ patientId: string }>('trace-test', {}, async (data) => {
    await measureExternalCall('chat', 'send', async () => void done.push(JSON.stringify(data)));
  });
  const consumer = subscribe('note-patient', 'scheduling', PatientCreatedSchema, async (tx, event) => {
    await execute(tx, insertNote, note(event.patientId));
    done.push('event');
  });
  const platform = open('platform');
  running.push(await startRelay({ db, nats: connect('scheduling'), log }));
  running.push(await startConsumers([consumer], { service: 'platform', db: platform, nats: connect('platform'), log }));
  running.push(await startJobs([queued], { db, clock: systemClock, log }));
  const server = await serveGrpc([implementation], { host: '127.0.0.1', port: 0, credentials: testCredentials('messaging') });
  running.push(server);
  const transport = grpcTransport('messaging', `dns:///127.0.0.1:${server.port}`, testCredentials('identity'));
  running.push({ stop: async () => transport.close() });
  return { mail: createClient(MailService, transport), done };
}

const RPC = 'clinic.messaging.v1.MailService/SendMail';
const spans = () => exporter.getFinishedSpans();
const named = (name: string) => spans().find((span) => span.name === name);
/** The names of a span and its ancestors, up to the root of the trace. */
function pathOf(span: ReadableSpan | undefined): string[] {
  if (!span) return [];
  const above = spans().find((one) => one.spanContext().spanId === span.parentSpanContext?.spanId);
  return [span.name, ...pathOf(above)];
}

describe('a request', () => {
  test('is one trace, through gRPC, SQL, outbox, NATS and job to the provider', async () => {
    sample(1);
    const { mail, done } = await start();
    await inNewTrace('POST /api/appointments', SpanKind.SERVER, () => mail.sendMail({ to: PERSON }, asService('identity')));
    await waitFor(() => done.length === 2);
    await waitFor(() => named('chat send') !== undefined && named('handle platform-note-patient') !== undefined);

    const request = [RPC, RPC, 'POST /api/appointments'];
    expect(pathOf(named('chat send'))).toEqual(['chat send', 'job trace-test', ...request]);
    const handling = ['handle platform-note-patient', 'publish scheduling.patient-created', ...request];
    expect(pathOf(named('handle platform-note-patient'))).toEqual(handling);
    const inserts = spans().filter(({ name }) => name === 'insert audit_log');
    expect(inserts.map(pathOf).sort()).toEqual(
      [
        ['insert audit_log', ...handling],
        ['insert audit_log', ...request],
      ].sort(),
    );
    const requestSpans = spans().filter(({ name }) => name !== 'sql');
    expect(new Set(requestSpans.map((span) => span.spanContext().traceId)).size).toBe(1);
    expect(done).toContain(JSON.stringify({ patientId: PATIENT }));
  });

  test('leaves no personal data and no ids in its spans', async () => {
    sample(1);
    const { mail, done } = await start();
    await inNewTrace('POST /api/appointments', SpanKind.SERVER, () => mail.sendMail({ to: PERSON }, asService('identity')));
    await waitFor(() => done.length === 2);
    const recorded = JSON.stringify(spans().map(({ name, attributes, events, status }) => ({ name, attributes, events, status })));
    for (const value of [PERSON, CLINIC, PATIENT]) expect(recorded).not.toContain(value);
  });

  test('that fails has the reason of the error in its span, but not the message', async () => {
    sample(1);
    const { mail } = await start(async () => fail('NOT_FOUND', `${PERSON} was not found`));
    await inNewTrace('GET /', SpanKind.SERVER, () => mail.sendMail({}, asService('identity'))).catch(() => {});
    const [server] = spans().filter(({ name }) => name === RPC);
    expect(server).toMatchObject({ status: { code: 2 }, attributes: { 'error.type': 'NOT_FOUND' } });
    expect(JSON.stringify(spans().map(({ attributes, events, status }) => ({ attributes, events, status })))).not.toContain(PERSON);
  });

  test('that is not sampled records nothing, and neither do its events and jobs', async () => {
    sample(0);
    const { mail, done } = await start();
    await inNewTrace('POST /', SpanKind.SERVER, () => mail.sendMail({}, asService('identity')));
    await waitFor(() => done.length === 2);
    expect(spans()).toEqual([]);
    expect(await readSystem(db, sql('select distinct trace from outbox'), [])).toEqual([{ trace: null }]);
  });
});

test('a process that records nothing passes on the traceparent of an event', async () => {
  const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
  const { done } = await start();
  await inTenant(db, CLINIC, async (tx) => {
    await execute(tx, sql(`select set_config('app.trace', $1, true)`), [traceparent]);
    await emit(tx, CLINIC, PatientCreatedSchema, { patientId: PATIENT });
  });
  await waitFor(() => done.includes('event'));
  const connection = await connect('reader').connected();
  const message = await (await connection?.jetstreamManager())?.streams.getMessage('CLINIC', { seq: 1 });
  expect(message?.header.get('traceparent')).toBe(traceparent);
});

test('a malformed or unsampled traceparent is ignored', async () => {
  sample(1);
  for (const traceparent of ['', 'nonsense', `00-${'A'.repeat(32)}-${'b'.repeat(16)}-01`, `00-${'a'.repeat(32)}-${'b'.repeat(16)}-00`]) {
    await continueTrace(traceparent, 'work', SpanKind.INTERNAL, {}, async () => {});
  }
  expect(spans()).toEqual([]);
});

test('nothing is recorded before tracing starts and after it stops', async () => {
  const traceparents: (string | undefined)[] = [];
  const work = () => inNewTrace('work', SpanKind.INTERNAL, async () => void traceparents.push(currentTraceparent()));
  await work();
  const tracing = registerTracing({ process: 'test', processor: new SimpleSpanProcessor({ exporter }), ratio: 1 });
  await work();
  await tracing.stop();
  await work();
  expect(traceparents).toEqual([undefined, expect.stringMatching(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/), undefined]);
});

test('a log line has the id of its trace', async () => {
  sample(1);
  const lines: string[] = [];
  const logger = createLog('test', 'info', { write: (line: string) => void lines.push(line) });
  logger.info('before');
  await inNewTrace('GET /', SpanKind.SERVER, async () => logger.info('within'));
  const [before, within] = lines.map((line) => JSON.parse(line) as Record<string, string>);
  expect(before).not.toHaveProperty('trace_id');
  expect(within).toMatchObject({ msg: 'within', trace_id: named('GET /')?.spanContext().traceId });
});
