// Calls between processes, unary or as messages on streams, have the same results, errors, deadlines and checks; and how they behave when a server
// stops, breaks, freezes or is of an earlier release.
import net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { create, createFileRegistry, type DescMethodUnary, type DescService, setExtension } from '@bufbuild/protobuf';
import {
  FieldDescriptorProto_Type as FieldType,
  FileDescriptorProtoSchema,
  FileDescriptorSetSchema,
  MethodOptions_IdempotencyLevel,
  MethodOptionsSchema,
} from '@bufbuild/protobuf/wkt';
import { Access, access, callers } from '@clinic/proto/common/v1/options_pb.js';
import { type CallOptions, createClient } from '@connectrpc/connect';
import grpc from '@grpc/grpc-js';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { fail } from '../errors/errors.ts';
import { createLog } from '../telemetry/log.ts';
import { dependencyUp } from '../telemetry/metrics.ts';
import { type Outage, watchOutage } from '../telemetry/outages.ts';
import { testCredentials } from '../testing/credentials.ts';
import { waitFor } from '../testing/wait-for.ts';
import { asIs, CALLS, type FromClient, type FromServer, framesOf, frameWriter } from './call-stream.ts';
import { serviceCaller } from './caller.ts';
import { callAs, toHeaders } from './context.ts';
import type { Credentials } from './credentials.ts';
import { grpcTransport } from './grpc-client.ts';
import { type GrpcServer, serveGrpc } from './grpc-server.ts';
import { definition } from './grpc-wire.ts';
import { type Call, implement } from './pipeline.ts';

type Work = { text: string; ms: number; size: number };
type Client = Record<'read' | 'change' | 'secret', (request: Partial<Work>, options?: CallOptions) => Promise<{ text: string }>>;

const Worker = workerService();
const caller = serviceCaller('gateway', '0198a3f2-7c1e-7d4b-9a53-2f6c1e8b4d70');
const gateway = testCredentials('gateway');

const unaryRequests = jest.spyOn(grpc.Client.prototype, 'makeUnaryRequest');
const openedStreams = jest.spyOn(grpc.Client.prototype, 'makeBidiStreamRequest');
const stops: (() => unknown)[] = [];
let calls: (Work & Call)[] = [];
let running = 0;
let most = 0;

beforeEach(() => {
  calls = [];
  running = 0;
  most = 0;
  openedStreams.mockClear();
});
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

async function serve({ name = 'a', port = 0 } = {}): Promise<GrpcServer> {
  const work = async (_app: unknown, { text, ms, size }: Work, call: Call) => {
    calls.push({ text, ms, size, ...call });
    running++;
    most = Math.max(most, running);
    if (ms) await sleep(ms);
    running--;
    if (text === 'taken') fail('SLOT_TAKEN', 'Somebody was faster', [{ path: 'slot', message: 'taken' }]);
    return { text: size ? 'x'.repeat(size) : `${text} by ${name}` };
  };
  const implementation = implement({ log: createLog('test', 'silent'), constraints: {} }, Worker, { read: work, change: work, secret: work } as never);
  const server = await serveGrpc([implementation], { host: '127.0.0.1', port, credentials: testCredentials('testing') });
  stops.push(() => server.stop());
  return server;
}

function connect(ports: number[], credentials: Credentials = gateway, outage?: Outage): Client {
  const transport = grpcTransport('testing', `ipv4:${ports.map((port) => `127.0.0.1:${port}`).join(',')}`, credentials, outage);
  stops.push(() => transport.close());
  const client = createClient(Worker, transport) as unknown as Client;
  const calling = (method: keyof Client) => (request: Partial<Work>, options?: CallOptions) => client[method](request, { ...callAs(caller), ...options });
  return { read: calling('read'), change: calling('change'), secret: calling('secret') };
}

/** Makes calls until one of them uses a stream. */
async function untilStreams({ read }: Client): Promise<void> {
  await Promise.allSettled(Array.from({ length: 20 }, () => read({ text: 'warm' })));
  await waitFor(async () => {
    const before = unaryRequests.mock.calls.length;
    await read({ text: 'warm' }).catch(() => {});
    return unaryRequests.mock.calls.length === before;
  });
  calls = [];
}

/** A proxy to `port` whose connections can be broken or frozen; a frozen one stays open and forwards nothing. */
async function breakable(port: number): Promise<{ port: number; accepted(): number; open(): number; destroy(): void; freeze(): void }> {
  const sockets = new Set<net.Socket>();
  let [accepted, open] = [0, 0];
  const server = net.createServer((inward) => {
    accepted++;
    open++;
    inward.on('close', () => open--);
    const outward = net.connect(port, '127.0.0.1');
    for (const socket of [inward, outward]) sockets.add(socket.on('error', () => {}));
    inward.pipe(outward).pipe(inward);
    inward.on('close', () => outward.destroy());
    outward.on('close', () => inward.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const destroy = () => {
    for (const socket of sockets) socket.destroy();
  };
  stops.push(() => {
    destroy();
    server.close();
  });
  return {
    port: (server.address() as net.AddressInfo).port,
    accepted: () => accepted,
    open: () => open,
    destroy,
    freeze() {
      for (const socket of sockets) socket.unpipe().pause();
    },
  };
}

/** The time of the process, which can be set forward until the test ends. */
function settableTime(): { advance(ms: number): void } {
  const now = performance.now.bind(performance);
  let ahead = 0;
  const spy = jest.spyOn(performance, 'now').mockImplementation(() => now() + ahead);
  stops.push(() => spy.mockRestore());
  return {
    advance(ms) {
      ahead += ms;
    },
  };
}

describe.each(['unary', 'as a message'])('a call, %s', (way) => {
  const start = async (ports?: number[], credentials?: Credentials) => {
    const client = connect(ports ?? [(await serve()).port], credentials);
    if (way !== 'unary') await untilStreams(client);
    return client;
  };

  test('returns its response, and passes its metadata to the handler', async () => {
    const client = await start();
    expect((await client.read({ text: 'ñ' }, { ...callAs(caller, 'llave-1'), timeoutMs: 60_000 })).text).toBe('ñ by a');
    const [call] = calls;
    expect(call).toMatchObject({ caller: { kind: 'service', id: 'gateway', requestId: caller.requestId }, from: 'gateway', idempotencyKey: 'llave-1' });
    expect((call as Call).deadline - Date.now()).toBeGreaterThan(20_000);
    expect((call as Call).deadline - Date.now()).toBeLessThanOrEqual(60_000);
  });

  test('an error arrives with its reason, message and details', async () => {
    const client = await start();
    const error = await client.change({ text: 'taken' }).catch((thrown) => thrown);
    expect(error).toMatchObject({ reason: 'SLOT_TAKEN', message: 'Somebody was faster', details: [{ path: 'slot', message: 'taken' }] });
  });

  test('is refused without a valid token, and when its process may not call the method', async () => {
    const { port } = await serve();
    const forged = { ...gateway, callKeys: testCredentials('gateway', [{ id: '1', key: Buffer.alloc(32, 7) }]).callKeys };
    const reasonOf = (client: Client, method: keyof Client) => client[method]({}).catch(({ reason }) => reason);
    expect(await reasonOf(await start([port], forged), 'read')).toBe('UNAUTHENTICATED');
    expect(await reasonOf(await start([port]), 'secret')).toBe('FORBIDDEN');
    expect(calls).toEqual([]);
  });

  test('fails as unavailable after its deadline, and others succeed', async () => {
    const client = await start();
    const began = performance.now();
    const late = client.change({ text: 'slow', ms: 3_000 }, { timeoutMs: 200 });
    await expect(late).rejects.toMatchObject({ reason: 'UNAVAILABLE' });
    expect(performance.now() - began).toBeLessThan(2_800);
    await waitFor(() => running === 0); // its response is dropped
    expect((await client.read({ text: 'next' })).text).toBe('next by a');
  });

  test('concurrent calls each get their own response, also large ones', async () => {
    const client = await start();
    const sizes = Array.from({ length: 60 }, (_, index) => (index % 20 === 0 ? 300_000 : index + 1));
    const responses = await Promise.all(sizes.map((size) => client.read({ text: 'x'.repeat(size % 100_000), size, ms: size % 7 })));
    expect(responses.map(({ text }) => text.length)).toEqual(sizes);
  });

  test('a response above 4 MB fails alone', async () => {
    const client = await start();
    const [large, small] = await Promise.allSettled([client.read({ size: 5 * 1024 * 1024 }), client.read({ text: 'small', ms: 50 })]);
    expect(large.status).toBe('rejected');
    expect(small).toMatchObject({ status: 'fulfilled', value: { text: 'small by a' } });
  });

  test('when the connection breaks, running changes fail, and later calls succeed', async () => {
    const wire = await breakable((await serve()).port);
    const client = await start([wire.port]);
    const change = client.change({ text: 'running', ms: 500 });
    await waitFor(() => running === 1);
    wire.destroy();
    await expect(change).rejects.toMatchObject({ reason: 'UNAVAILABLE' });
    expect((await client.change({ text: 'later' })).text).toBe('later by a');
    expect(calls.map(({ text }) => text)).toEqual(['running', 'later']);
  });

  test('when the server freezes, calls fail within 4 seconds', async () => {
    const wire = await breakable((await serve()).port);
    const client = await start([wire.port]);
    await client.read({});
    wire.freeze();
    const began = performance.now();
    await expect(client.read({ text: 'x' })).rejects.toMatchObject({ reason: 'UNAVAILABLE' });
    expect(performance.now() - began).toBeLessThan(4_000);
  });

  test('servers are stopped and started in turn under load: each call succeeds and runs once', async () => {
    const servers = [await serve(), await serve({ name: 'b' })];
    const ports = servers.map(({ port }) => port);
    const client = await start(ports);
    const time = settableTime();
    const done: string[] = [];
    const servedBy = new Set<string | undefined>();
    let loaded = true;
    const load = Array.from({ length: way === 'unary' ? 1 : 8 }, async (_, one) => {
      for (let n = 0; loaded; n++) {
        const { text } = await client.change({ text: `${one} ${n}`, ms: 5 });
        servedBy.add(text.split(' by ')[1]);
        done.push(`${one} ${n}`);
        if (way === 'unary') await sleep(300);
      }
    });
    for (const [index, port] of ports.entries()) {
      await sleep(1_000);
      await (servers[index] as GrpcServer).stop();
      await sleep(500);
      await serve({ name: `started again ${index}`, port });
      if (way !== 'unary') time.advance(61_000); // streams are renewed
      await waitFor(() => servedBy.has(`started again ${index}`));
    }
    loaded = false;
    await Promise.all(load);
    expect(calls.map(({ text }) => text).toSorted()).toEqual(done.toSorted());
  });
});

test.each([
  ['unary', 800, 8],
  ['as a message', 0, 3],
])('calls, %s, succeed and run once while connections are replaced', async (way, pause, wanted) => {
  const wire = await breakable((await serve()).port);
  const client = connect([wire.port]);
  if (way !== 'unary') await untilStreams(client);
  const time = settableTime();
  const timer = setInterval(() => time.advance(301_000), 300);
  stops.push(() => clearInterval(timer));
  const done: string[] = [];
  const load = Array.from({ length: 3 }, async (_, one) => {
    for (let n = 0; wire.accepted() < wanted; n++) {
      await client.change({ text: `${one} ${n}`, ms: 5 });
      done.push(`${one} ${n}`);
      await sleep(pause); // 3 in 0.8 s are too few for streams
    }
  });
  await Promise.all(load);
  clearInterval(timer);
  expect(calls.map(({ text }) => text).toSorted()).toEqual(done.toSorted());
  await waitFor(() => wire.open() === 1);
});

test('the outage of a server ends when it can be reached again, although nothing is called', async () => {
  const server = await serve();
  const port = server.port;
  const outage = watchOutage(createLog('test', 'silent'), 'testing', 'call-stream-test');
  const { read } = connect([port], gateway, outage);
  const isUp = async () => (await dependencyUp.get()).values.find(({ labels }) => labels.address === 'call-stream-test')?.value;
  await read({ text: 'one' });
  expect(await isUp()).toBe(1);
  await server.stop();
  await expect(read({ text: 'two' })).rejects.toThrow();
  expect(await isUp()).toBe(0);
  await serve({ port });
  await waitFor(async () => (await isUp()) === 1);
  expect(calls.map(({ text }) => text)).toEqual(['one']);
});

test('few calls open no stream, and streams end when calls become few', async () => {
  const client = connect([(await serve()).port]);
  for (let n = 0; n < 19; n++) await client.read({});
  expect(openedStreams).not.toHaveBeenCalled();
  await untilStreams(client);
  const opened = openedStreams.mock.results.map(({ value }) => value as grpc.ClientDuplexStream<Buffer, Buffer>);
  expect(opened).toHaveLength(2);
  await waitFor(() => opened.every((stream) => stream.writableFinished && stream.readableEnded));
  expect((await client.read({ text: 'idle' })).text).toBe('idle by a');
});

test('a new replica of the service gets its share when streams are renewed', async () => {
  const first = await serve();
  const { port } = await serve({ name: 'b' });
  await stops.pop()?.();
  const client = connect([first.port, port]);
  await untilStreams(client);
  await serve({ name: 'b', port });
  settableTime().advance(61_000);
  await waitFor(async () => {
    const before = unaryRequests.mock.calls.length;
    const answers = await Promise.all(Array.from({ length: 4 }, () => client.read({ text: 'x' })));
    return unaryRequests.mock.calls.length === before && new Set(answers.map(({ text }) => text)).size === 2;
  });
});

test('large requests, and all calls to a server of an earlier release, are unary', async () => {
  const client = connect([(await serve()).port]);
  await untilStreams(client);
  const before = unaryRequests.mock.calls.length;
  await client.read({ text: 'x'.repeat(100_000) });
  expect(unaryRequests.mock.calls.length).toBe(before + 1);

  const earlier = new grpc.Server();
  earlier.addService(
    { read: definition(Worker.method.read) },
    { read: (_call: unknown, respond: grpc.sendUnaryData<unknown>) => respond(null, create(Worker.method.read.output, { text: 'old' } as never)) },
  );
  const port = await new Promise<number>((resolve) => earlier.bindAsync('127.0.0.1:0', grpc.ServerCredentials.createInsecure(), (_, bound) => resolve(bound)));
  stops.push(() => earlier.forceShutdown());
  const old = connect([port]);
  openedStreams.mockClear();
  const unaryBefore = unaryRequests.mock.calls.length;
  for (let n = 0; n < 50; n++) await old.read({});
  expect(openedStreams).toHaveBeenCalled();
  expect(unaryRequests.mock.calls.length).toBeGreaterThanOrEqual(unaryBefore + 50);
});

describe('a client that writes to the stream directly', () => {
  async function open() {
    const client = new grpc.Client(`127.0.0.1:${(await serve()).port}`, grpc.credentials.createInsecure());
    const stream = client.makeBidiStreamRequest(CALLS.path, asIs, asIs, new grpc.Metadata());
    stream.on('error', () => {});
    stops.push(() => {
      stream.cancel();
      client.close();
    });
    const { path, requestSerialize } = definition(Worker.method.read);
    const writer = frameWriter<FromClient>(stream);
    const send = (id: number, work: Partial<Work>) => {
      const headers = Object.fromEntries(toHeaders({ caller }, { callee: 'testing', method: path, timeoutMs: 10_000 }, gateway));
      writer.send({ id, method: path, timeoutMs: 10_000, headers }, requestSerialize(create(Worker.method.read.input, work as never)));
    };
    return { stream, writer, send };
  }
  const read = (stream: grpc.ClientDuplexStream<Buffer, Buffer>) => {
    const ids: number[] = [];
    stream.on('data', (batch: Buffer) => ids.push(...framesOf<FromServer>(batch).map(({ header }) => header.id)));
    return ids;
  };

  test('waits when it has sent more calls than may run, and gets all responses', async () => {
    const { stream, send } = await open();
    const answered = read(stream);
    for (let id = 1; id <= 6_000; id++) send(id, { ms: 300 });
    await waitFor(() => answered.length === 6_000);
    expect(most).toBeLessThan(2_000); // 1,000, and the other calls of their last batch
  });

  test('is not read from while it does not read its responses', async () => {
    const { stream, send } = await open();
    const answered = read(stream);
    stream.once('data', () => stream.pause()); // a client of grpc-js that never began to read would accept everything
    for (let id = 1; id <= 3_000; id++) send(id, { size: 16 * 1024 });
    await waitFor(() => stream.isPaused());
    await sleep(500);
    expect(calls.length).toBeLessThan(2_000);
    stream.resume();
    await waitFor(() => answered.length === 3_000);
  });

  test('gets no response to a call that it has cancelled', async () => {
    const { stream, writer, send } = await open();
    const answered = read(stream);
    send(1, { ms: 300 });
    send(2, { ms: 600 });
    writer.send({ id: 1, cancelled: true });
    writer.end();
    await new Promise((resolve) => stream.on('end', resolve));
    expect(answered).toEqual([2]);
  });

  test.each([Buffer.from([1]), Buffer.alloc(8, 255), Buffer.from('\0\0\0\u0004\0\0\0\0null')])(
    'loses its stream when it sends anything else: %p',
    async (bytes) => {
      const { stream } = await open();
      const failed = new Promise<grpc.ServiceError>((resolve) => stream.on('error', resolve));
      stream.on('data', () => {});
      stream.write(bytes);
      expect((await failed).code).toBe(grpc.status.INVALID_ARGUMENT);
    },
  );
});

/** A contract for this test only. */
function workerService(): DescService & { method: Record<'read' | 'change' | 'secret', DescMethodUnary> } {
  const method = (name: string, caller: string, isRead: boolean) => {
    const options = create(MethodOptionsSchema, isRead ? { idempotencyLevel: MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS } : {});
    setExtension(options, access, Access.SERVICE);
    setExtension(options, callers, [caller]);
    return { name, inputType: '.clinic.testing.v1.Work', outputType: '.clinic.testing.v1.Done', options };
  };
  const file = create(FileDescriptorProtoSchema, {
    name: 'worker.proto',
    package: 'clinic.testing.v1',
    syntax: 'proto3',
    messageType: [
      {
        name: 'Work',
        field: [
          { name: 'text', number: 1, type: FieldType.STRING },
          { name: 'ms', number: 2, type: FieldType.INT32 },
          { name: 'size', number: 3, type: FieldType.INT32 },
        ],
      },
      { name: 'Done', field: [{ name: 'text', number: 1, type: FieldType.STRING }] },
    ],
    service: [{ name: 'Worker', method: [method('Read', 'gateway', true), method('Change', 'gateway', false), method('Secret', 'billing', true)] }],
  });
  const service = createFileRegistry(create(FileDescriptorSetSchema, { file: [file] })).getService('clinic.testing.v1.Worker');
  return service as DescService & { method: Record<'read' | 'change' | 'secret', DescMethodUnary> };
}
