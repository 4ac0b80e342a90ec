// Server-streaming RPCs over each transport: order, back-pressure, errors with their reason, cancellation.
import { create, createFileRegistry, type DescMethodServerStreaming, type DescService, setExtension } from '@bufbuild/protobuf';
import { FieldDescriptorProto_Type as FieldType, FileDescriptorProtoSchema, FileDescriptorSetSchema, MethodOptionsSchema } from '@bufbuild/protobuf/wkt';
import { Access, access, callers } from '@clinic/proto/common/v1/options_pb.js';
import { StatusService } from '@clinic/proto/common/v1/status_pb.js';
import type { Transport } from '@connectrpc/connect';
import { createClient } from '@connectrpc/connect';
import { createConnectTransport } from '@connectrpc/connect-node';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { fail } from '../errors/errors.ts';
import { createLog } from '../telemetry/log.ts';
import { testCredentials } from '../testing/credentials.ts';
import { waitFor } from '../testing/wait-for.ts';
import { serviceCaller } from './caller.ts';
import { serveOps } from './connect.ts';
import { callAs, toHeaders } from './context.ts';
import { grpcTransport } from './grpc-client.ts';
import { serveGrpc } from './grpc-server.ts';
import { localTransport } from './local.ts';
import { implement, type StreamCall } from './pipeline.ts';

const Counter = counterService();
const credentials = testCredentials('testing');
const gateway = testCredentials('gateway');
const caller = serviceCaller('gateway', '0198a3f2-7c1e-7d4b-9a53-2f6c1e8b4d70');

let produced = 0;
let ended = 0;
let left: AbortSignal | undefined;

async function* count(_app: unknown, { to, fail: failAt, size }: { to: number; fail: number; size: number }, call: StreamCall) {
  left = call.signal;
  try {
    for (let n = 1; n <= to; n++) {
      if (n === failAt) fail('SLOT_TAKEN');
      produced = n;
      yield { n, text: 'x'.repeat(size) };
    }
    if (to === 0) await new Promise((_, reject) => call.signal.addEventListener('abort', () => reject(new Error('left'))));
  } finally {
    ended++;
  }
}

const implementations = [implement({ log: createLog('test', 'silent'), constraints: {} }, Counter, { count } as never)];
const stops: (() => unknown)[] = [];
let transports: Record<string, Transport>;

beforeAll(async () => {
  const grpc = await serveGrpc(implementations, { host: '127.0.0.1', port: 0, credentials });
  const ops = await serveOps(implementations, { host: '127.0.0.1', port: 0, credentials, ready: () => true });
  const client = grpcTransport('testing', `dns:///127.0.0.1:${grpc.port}`, gateway);
  stops.push(
    () => client.close(),
    () => grpc.stop(),
    () => ops.stop(),
  );
  transports = {
    local: localTransport(implementations),
    grpc: client,
    connect: createConnectTransport({ baseUrl: `http://127.0.0.1:${ops.port}`, httpVersion: '1.1' }),
  };
});
afterAll(async () => {
  for (const stop of stops) await stop();
});

describe.each(['local', 'grpc', 'connect'])('%s', (name) => {
  const read = (request: { to?: number; fail?: number; size?: number }, signal?: AbortSignal) => {
    const client = createClient(Counter, transports[name] as Transport) as unknown as {
      count(request: unknown, options: unknown): AsyncIterable<{ n: number }>;
    };
    const options =
      name === 'connect'
        ? { headers: toHeaders({ caller }, { callee: 'testing', method: '/clinic.testing.v1.Counter/Count', timeoutMs: 0 }, gateway) }
        : callAs(caller);
    return client.count(request, { ...options, ...(signal ? { signal } : {}) });
  };

  test('all messages arrive in order', async () => {
    const seen: number[] = [];
    for await (const { n } of read({ to: 500 })) seen.push(n);
    expect(seen).toEqual(Array.from({ length: 500 }, (_, index) => index + 1));
  });

  test('an error arrives with its reason, after the messages before it', async () => {
    const seen: number[] = [];
    const reading = (async () => {
      for await (const { n } of read({ to: 5, fail: 3 })) seen.push(n);
    })();
    await expect(reading).rejects.toMatchObject(name === 'connect' ? { rawMessage: expect.any(String) } : { reason: 'SLOT_TAKEN' });
    expect(seen).toEqual([1, 2]);
  });

  test('a slow reader slows the writer down', async () => {
    const before = ended;
    const reader = new AbortController();
    for await (const _ of read({ to: 1_000, size: 64 * 1024 }, reader.signal)) {
      await new Promise((resolve) => setTimeout(resolve, 200)); // nothing is read meanwhile
      expect(produced).toBeLessThan(900);
      break;
    }
    reader.abort(); // the iterator of a Connect client does not report that its reader stopped
    await waitFor(() => ended > before);
  });

  test('the handler ends when the reader cancels', async () => {
    const before = ended;
    const reader = new AbortController();
    const reading = (async () => {
      for await (const _ of read({ to: 0 }, reader.signal));
    })();
    reading.catch(() => {});
    left = undefined;
    await waitFor(() => left !== undefined);
    reader.abort();
    await expect(reading).rejects.toThrow();
    await waitFor(() => ended > before);
    expect((left as AbortSignal | undefined)?.aborted).toBe(true);
  });

  test('a call without a token is rejected', async () => {
    const client = createClient(Counter, transports[name] as Transport) as unknown as { count(request: unknown): AsyncIterable<unknown> };
    const reading = (async () => {
      for await (const _ of client.count({ to: 1 }));
    })();
    await expect(reading).rejects.toThrow();
  });
});

test('a method that a server of an earlier release does not have is unavailable', async () => {
  const client = createClient(StatusService, transports.grpc as Transport);
  await expect(client.checkStatus({}, callAs(caller))).rejects.toMatchObject({ reason: 'UNAVAILABLE' });
});

/** A contract for this test only. */
function counterService(): DescService & { method: { count: DescMethodServerStreaming } } {
  const options = create(MethodOptionsSchema);
  setExtension(options, access, Access.SERVICE);
  setExtension(options, callers, ['gateway']);
  const int32 = (name: string, number: number) => ({ name, number, type: FieldType.INT32 });
  const file = create(FileDescriptorProtoSchema, {
    name: 'counter.proto',
    package: 'clinic.testing.v1',
    syntax: 'proto3',
    messageType: [
      { name: 'CountRequest', field: [int32('to', 1), int32('fail', 2), int32('size', 3)] },
      { name: 'Counted', field: [int32('n', 1), { name: 'text', number: 2, type: FieldType.STRING }] },
    ],
    service: [
      {
        name: 'Counter',
        method: [{ name: 'Count', inputType: '.clinic.testing.v1.CountRequest', outputType: '.clinic.testing.v1.Counted', serverStreaming: true, options }],
      },
    ],
  });
  const service = createFileRegistry(create(FileDescriptorSetSchema, { file: [file] })).getService('clinic.testing.v1.Counter');
  return service as DescService & { method: { count: DescMethodServerStreaming } };
}
