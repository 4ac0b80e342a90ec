// Answers calls that arrive as messages on long-lived streams (docs/decisions/rpc-transport.md).
import grpc from '@grpc/grpc-js';
import { toServiceError } from '../errors/errors.ts';
import { CALLS, type FromClient, type FromServer, framesOf, frameWriter } from './call-stream.ts';
import { fromHeaders } from './context.ts';
import type { Credentials } from './credentials.ts';
import { definition, grpcError, toGrpcError, trailerOf } from './grpc-wire.ts';
import type { Implementation } from './pipeline.ts';

/** Maximum number of concurrent calls of one stream. At this number the stream is not read. */
const MAX_RUNNING = 1_000;
/** The limit of gRPC for a message, less the header of the frame. */
const MAX_RESPONSE = 4 * 1024 * 1024 - 1024;

type Stream = grpc.ServerDuplexStream<Buffer, Buffer>;
type CallHeader = Extract<FromClient, { method: string }>;

/** Adds the service for call streams to the server. `peerOf` returns the names in the certificate of the client; undefined without TLS. */
export function serveCallStreams(
  server: grpc.Server,
  implementations: Implementation[],
  credentials: Credentials,
  peerOf: (stream: Stream) => string[] | undefined,
) {
  const rpcs = new Map(implementations.flatMap(({ rpcs }) => rpcs.map((rpc) => [definition(rpc.method).path, rpc])));
  const writers = new Set<{ send(header: FromServer): void }>();
  let draining = false;

  async function answer(
    { id, method, timeoutMs, headers }: CallHeader,
    request: Buffer,
    peer: string[] | undefined,
  ): Promise<[FromServer, Buffer | undefined]> {
    const rpc = rpcs.get(method);
    if (!rpc || !('run' in rpc)) return [{ id, code: grpc.status.UNIMPLEMENTED, details: `The server does not implement ${method}` }, undefined];
    try {
      const { requestDeserialize, responseSerialize } = definition(rpc.method);
      const call = fromHeaders({ header: (name) => headers[name], method, peer }, credentials, Date.now() + timeoutMs);
      const response = responseSerialize(await rpc.run(requestDeserialize(request), call));
      if (response.length > MAX_RESPONSE) throw new Error(`The response of ${method} is too large`);
      return [{ id }, response];
    } catch (thrown) {
      const error = toGrpcError(toServiceError(thrown, {}));
      return [{ id, code: error.code, details: error.details }, trailerOf(error)];
    }
  }

  function carry(stream: Stream): void {
    if (draining) return void stream.emit('error', grpcError(grpc.status.UNAVAILABLE, 'The server is stopping'));
    stream.sendMetadata(new grpc.Metadata());
    const peer = peerOf(stream);
    const writer = frameWriter<FromServer>(stream, flow);
    const awaited = new Set<number>();
    let [running, ended] = [0, false];

    function flow(): void {
      const isFull = running >= MAX_RUNNING || writer.isFull();
      if (isFull !== stream.isPaused()) stream[isFull ? 'pause' : 'resume']();
      if (ended && running === 0) writer.end();
    }
    async function run(header: CallHeader, request: Buffer): Promise<void> {
      running++;
      awaited.add(header.id);
      const answered = await answer(header, request, peer);
      running--;
      if (awaited.delete(header.id)) writer.send(...answered);
      flow();
    }
    stream.on('data', (batch: Buffer) => {
      try {
        for (const { header, payload } of framesOf<FromClient>(batch)) 'method' in header ? void run(header, payload) : awaited.delete(header.id);
        flow();
      } catch {
        stream.emit('error', grpcError(grpc.status.INVALID_ARGUMENT, 'The message is not a batch of calls'));
      }
    });
    stream.on('end', () => {
      ended = true;
      flow();
    });
    stream.on('close', () => writers.delete(writer));
    writers.add(writer);
  }
  server.addService({ carry: CALLS }, { carry });
  return {
    /** Notifies the clients to send no more calls. The calls that they have already sent are answered. */
    drain(): void {
      draining = true;
      for (const writer of writers) writer.send({ id: 0, draining: true });
    },
  };
}
