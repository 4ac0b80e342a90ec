// gRPC with client certificates: which callers are refused, renewal without a restart, and keys that are replaced while calls arrive.
import diagnostics from 'node:diagnostics_channel';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import tls from 'node:tls';
import type { Credentials } from '@clinic/lib/rpc/credentials.ts';
import { openCredentials } from '@clinic/lib/rpc/credentials.ts';
import { grpcTransport } from '@clinic/lib/rpc/grpc-client.ts';
import { type GrpcServer, serveGrpc } from '@clinic/lib/rpc/grpc-server.ts';
import { implement } from '@clinic/lib/rpc/pipeline.ts';
import { openCertificates } from '@clinic/lib/rpc/tls.ts';
import { createLog } from '@clinic/lib/telemetry/log.ts';
import { asOperator } from '@clinic/lib/testing/callers.ts';
import { testCredentials } from '@clinic/lib/testing/credentials.ts';
import { waitFor } from '@clinic/lib/testing/wait-for.ts';
import { StatsService } from '@clinic/proto/platform/v1/stats_pb.js';
import { createClient } from '@connectrpc/connect';
import grpc from '@grpc/grpc-js';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { createAuthority, issueCertificate, type Pair } from './certificates.ts';

const log = createLog('test', 'silent');
const folder = mkdtempSync(path.join(os.tmpdir(), 'clinic-tls-'));
const stats = implement({ log, constraints: {} }, StatsService, { getStats: async () => ({ totalClinics: 7 }) } as never);
const stops: (() => unknown)[] = [];
let authority: Pair;
let certificates: Record<string, Pair>;

beforeAll(async () => {
  authority = await createAuthority();
  const other = await issueCertificate(await createAuthority(), 'gateway'); // of another authority
  const [gateway, platform, dental] = await Promise.all(['gateway', 'platform', 'dental'].map((name) => issueCertificate(authority, name)));
  certificates = { gateway, platform, dental, other } as Record<string, Pair>;
});
afterAll(async () => {
  for (const stop of stops.reverse()) await stop();
  rmSync(folder, { recursive: true });
});

/** Settings that name the files of a certificate, which are written first. */
function filesOf(name: string, { certificate, key } = certificates[name] as Pair) {
  const files = { TLS_CA: path.join(folder, 'ca'), TLS_CERT: path.join(folder, `${name}-cert`), TLS_KEY: path.join(folder, `${name}-key`) };
  writeFileSync(files.TLS_CA, authority.certificate);
  writeFileSync(files.TLS_KEY, key);
  writeFileSync(files.TLS_CERT, certificate);
  return files;
}

function secured(name: string, files = filesOf(name), refreshMs = 60_000): Credentials {
  const opened = openCertificates(name, files, log, refreshMs);
  stops.push(() => opened?.stop());
  return { ...testCredentials(name), tls: opened };
}

async function serve(credentials: Credentials, port = 0): Promise<GrpcServer> {
  const server = await serveGrpc([stats], { host: '127.0.0.1', port, credentials });
  stops.push(() => server.stop());
  return server;
}

function client(address: string, credentials: Credentials, callee = 'platform') {
  const transport = grpcTransport(callee, address, credentials);
  stops.push(() => transport.close());
  return createClient(StatsService, transport);
}
const at = ({ port }: GrpcServer) => `dns:///127.0.0.1:${port}`;

test('a call needs a certificate of the same authority on both ends, with the name of the process', async () => {
  const address = at(await serve(secured('platform')));
  const call = (credentials: Credentials, callee?: string) => client(address, credentials, callee).getStats({}, { ...asOperator(), timeoutMs: 3_000 });
  expect((await call(secured('gateway'))).totalClinics).toBe(7);
  await expect(call(testCredentials('gateway'))).rejects.toThrow(); // not encrypted
  await expect(call(secured('gateway', filesOf('gateway', certificates.other)))).rejects.toThrow();
  await expect(call({ ...secured('dental'), ...testCredentials('gateway') })).rejects.toThrow('Send a valid x-clinic-hop'); // keys of the gateway, certificate of dental
  await expect(call({ ...secured('gateway', filesOf('gateway')) }, 'billing')).rejects.toThrow(); // the server is not billing
});

test('calls as messages are encrypted too, and each needs the certificate of the process in its token', async () => {
  const address = at(await serve(secured('platform')));
  const unary = jest.spyOn(grpc.Client.prototype, 'makeUnaryRequest');
  const [right, wrong] = [client(address, secured('gateway')), client(address, { ...secured('dental'), ...testCredentials('gateway') })];
  for (const [caller, message] of [
    [right, 'none'],
    [wrong, 'Send a valid x-clinic-hop'],
  ] as const) {
    const call = () =>
      caller.getStats({}, asOperator()).then(
        () => 'none',
        (error: Error) => error.message,
      );
    await waitFor(async () => {
      const before = unary.mock.calls.length;
      expect(await call()).toContain(message);
      return unary.mock.calls.length === before;
    });
    expect(await call()).toContain(message);
  }
});

test('a connection without a certificate is closed', async () => {
  const { port } = await serve(secured('platform'));
  const closed = await new Promise<string>((resolve) => {
    const socket = tls.connect({ port, host: '127.0.0.1', ca: authority.certificate, servername: 'platform', ALPNProtocols: ['h2'] });
    socket.on('error', ({ message }) => resolve(message)).resume();
  });
  expect(closed).toContain('certificate required');
});

test('a renewed certificate is used without a restart; files that cannot be used change nothing', async () => {
  const files = filesOf('platform');
  const { port } = await serve(secured('platform', files, 20));
  const presented = () =>
    new Promise<string>((resolve, reject) => {
      const { certificate: cert, key } = certificates.gateway as Pair;
      const socket = tls.connect({ port, host: '127.0.0.1', ca: authority.certificate, cert, key, servername: 'platform', ALPNProtocols: ['h2'] }, () => {
        resolve(socket.getPeerCertificate().serialNumber);
        socket.destroy();
      });
      socket.on('error', reject);
    });
  const before = await presented();
  writeFileSync(files.TLS_CERT, 'no certificate');
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(await presented()).toBe(before);
  filesOf('platform', await issueCertificate(authority, 'platform'));
  await waitFor(async () => (await presented()) !== before);
});

test('settings that do not fit are refused at the start', () => {
  const files = filesOf('platform');
  const settings = { NODE_ENV: 'production', CALL_KEYS: new Map() };
  const open =
    (given: object, at = { host: '127.0.0.1', addresses: ['dns:///127.0.0.1:7000'] }) =>
    () =>
      openCredentials('platform', { ...settings, ...given }, at, log);
  expect(open({}, { host: '0.0.0.0', addresses: [] })).toThrow('Calls between processes that leave this machine need TLS: set TLS_CA, TLS_CERT and TLS_KEY');
  expect(open({}, { host: 'localhost', addresses: ['ipv4:127.0.0.1:7000,10.0.0.1:7000'] })).toThrow('need TLS');
  expect(open({ NODE_ENV: 'development' }, { host: '0.0.0.0', addresses: [] })).not.toThrow();
  expect(open({})).not.toThrow();
  expect(open({ TLS_CA: files.TLS_CA })).toThrow('set together');
  expect(open({ ...files, TLS_CERT: filesOf('dental').TLS_CERT, TLS_KEY: filesOf('dental').TLS_KEY })).toThrow('does not name platform');
  expect(open({ ...files, TLS_KEY: filesOf('dental').TLS_KEY })).toThrow('does not belong');
  expect(open({ ...files, TLS_KEY: path.join(folder, 'missing') })).toThrow('ENOENT');
});

test('no call fails while keys are replaced: appended, moved to the front, removed, one process after the other', async () => {
  const [first, second] = [1, 2].map((byte) => ({ id: `k${byte}`, key: Buffer.alloc(32, byte) })) as [{ id: string; key: Buffer }, { id: string; key: Buffer }];
  const rings = [[first], [first, second], [second, first], [second]];
  const start = (step: number, port = 0) => serveGrpc([stats], { host: '127.0.0.1', port, credentials: testCredentials('platform', rings[step]) });
  const servers = [await start(0), await start(0)];
  stops.push(() => Promise.all(servers.map((server) => server.stop())));
  const address = `ipv4:${servers.map(({ port }) => `127.0.0.1:${port}`).join(',')}`;
  const connections: (number | undefined)[] = []; // the port of each connection that a server has accepted
  const accepted = (message: unknown) => connections.push((message as { socket: Socket }).socket.localPort);
  diagnostics.subscribe('net.server.socket', accepted);
  stops.push(() => diagnostics.unsubscribe('net.server.socket', accepted));
  let calls = 0;
  /** Waits until each of these servers has accepted so many connections, and until calls have been answered since then. */
  const connected = async (count: number, ...to: GrpcServer[]) => {
    await waitFor(() => to.every(({ port }) => connections.filter((one) => one === port).length >= count));
    const seen = calls;
    await waitFor(() => calls > seen + 10);
    connections.length = 0;
  };
  let caller = client(address, testCredentials('gateway', rings[0]));
  let running = true;
  const failures: unknown[] = [];
  const load = Promise.all(
    Array.from({ length: 4 }, async () => {
      for (; running; calls++) await caller.getStats({}, asOperator(`operator-${calls}`)).catch((error: unknown) => failures.push(error));
    }),
  );
  await connected(1, ...servers);
  for (let step = 1; step < rings.length; step++) {
    for (const [index, { port, stop }] of servers.entries()) {
      await stop();
      const server = await start(step, port);
      servers[index] = server;
      await connected(step, server); // by each of the clients
    }
    caller = client(address, testCredentials('gateway', rings[step]));
    await connected(1, ...servers);
  }
  running = false;
  await load;
  expect(failures).toEqual([]);
});
