// gRPC server by grpc-js (docs/decisions/rpc-transport.md).
import { once } from 'node:events';
import type { Message } from '@bufbuild/protobuf';
import grpc from '@grpc/grpc-js';
import { HealthImplementation } from 'grpc-health-check';
import { Remembered } from '../background/remembered.ts';
import { toServiceError } from '../errors/errors.ts';
import { serveCallStreams } from './call-stream-server.ts';
import { DEADLINE_MS, fromHeaders, STREAM_DEADLINE_MS } from './context.ts';
import type { Credentials } from './credentials.ts';
import { definition, toGrpcError } from './grpc-wire.ts';
import type { Call, Implementation, Rpc, StreamRpc, UnaryRpc } from './pipeline.ts';
import { addReflection } from './reflection.ts';
import { namesOf } from './tls.ts';

/** How long open streams may continue after stop(). */
const STREAMS_END_MS = 10_000;

export type GrpcServer = { port: number; setServing(serving: boolean): void; stop(): Promise<void> };

/** Serves the implementations, health and reflection. With port 0 the kernel chooses a free port. */
export async function serveGrpc(implementations: Implementation[], options: { host: string; port: number; credentials: Credentials }): Promise<GrpcServer> {
  const { credentials } = options;
  const { tls } = credentials;
  const server = new grpc.Server({ 'grpc.keepalive_time_ms': 30_000 });
  for (const { rpcs } of implementations) {
    server.addService(
      Object.fromEntries(rpcs.map((rpc) => [rpc.method.localName, definition(rpc.method)])),
      Object.fromEntries(rpcs.map((rpc) => [rpc.method.localName, 'run' in rpc ? serve(rpc, credentials) : serveStream(rpc, credentials)])),
    );
  }
  const streams = serveCallStreams(server, implementations, credentials, (stream) => credentials.tls && peerOf(stream));
  const names = ['', ...implementations.map(({ service }) => service.typeName)]; // '' is the whole server
  const health = new HealthImplementation(Object.fromEntries(names.map((name) => [name, 'SERVING'])));
  health.addToServer(server);
  addReflection(server, implementations);
  const channel = tls ? grpc.experimental.createCertificateProviderServerCredentials(tls, tls, true) : grpc.ServerCredentials.createInsecure();
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync(`${options.host}:${options.port}`, channel, (error, bound) => (error ? reject(error) : resolve(bound)));
  });
  return {
    port,
    setServing(serving) {
      for (const name of names) health.setStatus(name, serving ? 'SERVING' : 'NOT_SERVING');
    },
    stop: () =>
      new Promise((resolve) => {
        streams.drain();
        const forced = setTimeout(() => server.forceShutdown(), STREAMS_END_MS);
        server.tryShutdown(() => {
          clearTimeout(forced);
          resolve();
        });
      }),
  };
}

function serve(rpc: UnaryRpc, credentials: Credentials): grpc.handleUnaryCall<Message, Message> {
  return (call, callback) => {
    Promise.resolve()
      .then(() => rpc.run(call.request, callOf(call, rpc, credentials, DEADLINE_MS)))
      .then(
        (response) => callback(null, response),
        (error) => callback(toGrpcError(toServiceError(error, {}))),
      );
  };
}

function serveStream(rpc: StreamRpc, credentials: Credentials): grpc.handleServerStreamingCall<Message, Message> {
  return async (call) => {
    const left = new AbortController();
    call.on('cancelled', () => left.abort());
    try {
      for await (const message of rpc.stream(call.request, { ...callOf(call, rpc, credentials, STREAM_DEADLINE_MS), signal: left.signal })) {
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

type ServerCall = grpc.ServerUnaryCall<Message, Message> | grpc.ServerWritableStream<Message, Message>;

function callOf(call: ServerCall, rpc: Rpc, credentials: Credentials, limitMs: number): Call {
  const limit = call.getDeadline();
  const deadline = typeof limit === 'number' && Number.isFinite(limit) ? limit : limit instanceof Date ? limit.getTime() : Date.now() + limitMs;
  const header = (name: string) => call.metadata.get(name)[0]?.toString();
  return fromHeaders({ header, method: definition(rpc.method).path, peer: credentials.tls && peerOf(call) }, credentials, deadline);
}

/** How long the names in the certificate of a connection are cached, since reading them takes 25 µs. */
const PEER_MS = 10_000;
const peers = new Remembered<{ names: string[]; until: number }>(1_000);

/** The names in the certificate of the client. */
function peerOf(call: Pick<ServerCall, 'getPeer' | 'getAuthContext'>): string[] {
  const connection = call.getPeer();
  const known = peers.get(connection);
  if (known && known.until > performance.now()) return known.names;
  const names = namesOf(call.getAuthContext()?.sslPeerCertificate?.subjectaltname);
  peers.set(connection, { names, until: performance.now() + PEER_MS });
  return names;
}
