// `node scripts/bench/transports.ts`: what one unary hop costs by each mount of the pipeline (docs/decisions/rpc-transport.md).
// The access check of a request is called with a ready answer, so that nothing but the hop is measured.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { serviceCaller } from '@clinic/lib/caller.ts';
import type { NamedKey } from '@clinic/lib/config.ts';
import { serveOps } from '@clinic/lib/rpc/connect.ts';
import { as, toHeaders } from '@clinic/lib/rpc/context.ts';
import { grpcTransport } from '@clinic/lib/rpc/grpc-client.ts';
import { serveGrpc } from '@clinic/lib/rpc/grpc-server.ts';
import { localTransport } from '@clinic/lib/rpc/local.ts';
import { implement } from '@clinic/lib/rpc/pipeline.ts';
import { AccessService } from '@clinic/proto/identity/v1/access_pb.js';
import { type CallOptions, createClient, type Transport } from '@connectrpc/connect';
import { createConnectTransport } from '@connectrpc/connect-node';
import { costsOf, log } from './costs.ts';
import { clinicId, userId } from './dataset.ts';

const keys: NamedKey[] = [{ id: 'bench', key: Buffer.alloc(32, 1) }];
const caller = serviceCaller('gateway', '0198a3f2-7c1e-7d4b-9a53-2f6c1e8b4d70');
const pace = { seconds: Number(process.argv[2] ?? 3), rounds: 3, inFlight: 20 };

const implementations = [
  implement({ log, constraints: {} }, AccessService, {
    resolveAccessOfMany: async () => ({}),
    resolveAccess: async () => ({
      userActive: true,
      appRole: 'admin',
      clinicActive: true,
      plan: 'clinica',
      clinicType: 'dental',
      timezone: 'America/El_Salvador',
      country: 'SV',
    }),
    resolveClinic: async () => ({}),
    listSigningKeys: async () => ({ jwks: '{}' }),
  }),
];

if (process.send) {
  const options = { host: '127.0.0.1', keys, ready: () => true };
  const [grpc, ops] = [await serveGrpc(implementations, { ...options, port: 0 }), await serveOps(implementations, { ...options, port: 0 })];
  process.send({ grpc: grpc.port, ops: ops.port });
} else {
  const server = fork(import.meta.filename);
  const [{ grpc, ops }] = (await once(server, 'message')) as [{ grpc: number; ops: number }];
  const overGrpc = grpcTransport(`dns:///127.0.0.1:${grpc}`, keys);
  const http = (useBinaryFormat: boolean) => createConnectTransport({ baseUrl: `http://127.0.0.1:${ops}`, httpVersion: '1.1', useBinaryFormat });
  const inProcess = () => as(caller);
  const signed = () => ({ headers: toHeaders({ caller }, keys) });
  const hops: [string, Transport, () => CallOptions][] = [
    ['in one process', localTransport(implementations), inProcess],
    ['gRPC by grpc-js', overGrpc, inProcess],
    ['Connect, binary, HTTP/1.1', http(true), signed],
    ['Connect, JSON, HTTP/1.1', http(false), signed],
  ];
  const request = { clinicId: clinicId(0), userId: userId(0) };
  const works = hops.map(([, transport, options]) => {
    const client = createClient(AccessService, transport);
    return () => client.resolveAccess(request, options());
  });
  const parts = [{ name: 'postgres', pids: () => [server.pid as number] }]; // the other end, in the place of PostgreSQL
  for (const [index, { elapsed, cpu }] of (await costsOf(works, pace, parts)).entries()) {
    console.log(
      `${(hops[index]?.[0] ?? '').padEnd(28)} ${Math.round(1e6 / elapsed)
        .toLocaleString('en')
        .padStart(8)}/s ${cpu.toFixed(0).padStart(5)} µs of processor a call, both ends`,
    );
  }
  overGrpc.close();
  server.kill();
}
