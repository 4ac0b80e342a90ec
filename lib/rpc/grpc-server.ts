// gRPC server by grpc-js (docs/decisions/rpc-transport.md).
import { once } from 'node:events';
import type { Message } from '@bufbuild/protobuf';
import grpc from '@grpc/grpc-js';
import { HealthImplementation } from 'grpc-health-check';
import type { NamedKey } from '../config/config.ts';
import { toServiceError } from '../errors/errors.ts';
import { DEADLINE_MS, fromHeaders, STREAM_DEADLINE_MS } from './context.ts';
import { definition, toGrpcError } from './grpc-wire.ts';
import type { Call, Implementation, StreamRpc, UnaryRpc } from './pipeline.ts';
import { reflectionOf } from './reflection.ts';

/** How long open streams may continue after stop(). */
const STREAMS_END_MS = 10_000;

export type GrpcServer = { port: number; setServing(serving: boolean): void; stop(): Promise<void> };

/** Serves the implementations with health and reflection. Port 0 takes a free one. */
export async function serveGrpc(implementations: Implementation[], options: { host: string; port: number; keys: NamedKey[] }): Promise<GrpcServer> {
  const server = new grpc.Server({ 'grpc.keepalive_time_ms': 30_000, 'grpc.max_connection_age_ms': 300_000 });
  for (const { rpcs } of implementations) {
    server.addService(
      Object.fromEntries(rpcs.map((rpc) => [rpc.method.localName, definition(rpc.method)])),
      Object.fromEntries(rpcs.map((rpc) => [rpc.method.localName, 'run' in rpc ? serve(rpc, options.keys) : serveStream(rpc, options.keys)])),
    );
  }
  const health = new HealthImplementation({ '': 'SERVING', ...Object.fromEntries(implementations.map(({ service }) => [service.typeName, 'SERVING'])) });
  health.addToServer(server);
  reflectionOf(implementations).addToServer(server);
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync(`${options.host}:${options.port}`, grpc.ServerCredentials.createInsecure(), (error, bound) => (error ? reject(error) : resolve(bound)));
  });
  return {
    port,
    setServing: (serving) => health.setStatus('', serving ? 'SERVING' : 'NOT_SERVING'),
    stop: () =>
      new Promise((resolve) => {
        const forced = setTimeout(() => server.forceShutdown(), STREAMS_END_MS);
        server.tryShutdown(() => {
          clearTimeout(forced);
          resolve();
        });
      }),
  };
}

function serve(rpc: UnaryRpc, keys: NamedKey[]): grpc.handleUnaryCall<Message, Message> {
  return (call, callback) => {
    Promise.resolve()
      .then(() => rpc.run(call.request, callOf(call, keys, DEADLINE_MS)))
      .then(
        (response) => callback(null, response),
        (error) => callback(toGrpcError(toServiceError(error, {}))),
      );
  };
}

function serveStream(rpc: StreamRpc, keys: NamedKey[]): grpc.handleServerStreamingCall<Message, Message> {
  return async (call) => {
    const left = new AbortController();
    call.on('cancelled', () => left.abort());
    try {
      for await (const message of rpc.stream(call.request, { ...callOf(call, keys, STREAM_DEADLINE_MS), signal: left.signal })) {
        if (!call.write(message)) await once(call, 'drain', { signal: left.signal });
        if (call.cancelled) return;
      }
      call.end();
    } catch (error) {
      if (!call.cancelled) call.emit('error', toGrpcError(toServiceError(error, {})));
    } finally {
      left.abort();
    }
  };
}

function callOf(call: grpc.ServerUnaryCall<Message, Message> | grpc.ServerWritableStream<Message, Message>, keys: NamedKey[], limitMs: number): Call {
  const limit = call.getDeadline();
  const deadline = typeof limit === 'number' && Number.isFinite(limit) ? limit : limit instanceof Date ? limit.getTime() : Date.now() + limitMs;
  return fromHeaders((name) => call.metadata.get(name)[0]?.toString(), keys, deadline);
}
