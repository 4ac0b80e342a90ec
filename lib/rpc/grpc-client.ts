// gRPC client by grpc-js, with deadlines and retries of reads.
import { create, type DescMethodServerStreaming, type Message } from '@bufbuild/protobuf';
import { MethodOptions_IdempotencyLevel as Idempotency } from '@bufbuild/protobuf/wkt';
import type { ContextValues, Transport } from '@connectrpc/connect';
import grpc from '@grpc/grpc-js';
import { fail } from '../errors/errors.ts';
import type { Outage } from '../telemetry/outages.ts';
import { inSpan, RPC_ATTRIBUTES, SpanKind } from '../telemetry/tracing.ts';
import { asIs } from './call-stream.ts';
import { callStreams } from './call-stream-client.ts';
import { DEADLINE_MS, firstOf, outgoingKey, STREAM_DEADLINE_MS, toHeaders } from './context.ts';
import type { Credentials, OutgoingCall } from './credentials.ts';
import { openClients } from './grpc-connections.ts';
import { definition, fromGrpcError, isUnreachable } from './grpc-wire.ts';

const NO_HEADERS = new Headers();

/** A call that fails after this time is not retried, so that a request fails within 4 seconds. */
const RETRY_BEFORE_MS = 500;
/** How often a service that was not reached is checked, so that its outage ends without another call. */
const CHECK_MS = 5_000;

type GrpcTransport = Transport & {
  /** Resolves when the service is connected, or after `ms`. */
  connected(ms: number): Promise<void>;
  close(): void;
};

/**
 * Calls the service `callee` at `address`, for example `dns:///scheduling:7000`. While the service is unavailable, reads are retried, and other calls
 * only if they were never sent: three attempts at most, within RETRY_BEFORE_MS. Rejects with a ServiceError.
 */
export function grpcTransport(callee: string, address: string, credentials: Credentials, outage?: Outage): GrpcTransport {
  const clients = openClients(callee, address, credentials);
  const streams = callStreams(clients.current);
  let check: NodeJS.Timeout | undefined;
  const stopCheck = () => {
    clearInterval(check);
    check = undefined;
  };
  const checkReached = () => {
    if (clients.current().getChannel().getConnectivityState(true) !== grpc.connectivityState.READY) return;
    outage?.succeeded();
    stopCheck();
  };
  /** Reports the success or failure of a call to the outage of the service. */
  const observe = <T>(call: Promise<T>): Promise<T> => {
    const failed = (error: grpc.ServiceError) => {
      if (!isUnreachable(error)) return outage?.succeeded();
      outage?.failed(error);
      stopCheck();
      check = setInterval(checkReached, CHECK_MS).unref();
    };
    if (outage) call.then(outage.succeeded, failed);
    return call;
  };
  return {
    async unary(method, _signal, timeoutMs, _header, input, contextValues) {
      const { path, requestSerialize, responseDeserialize } = definition(method);
      const request = requestSerialize(create(method.input, input) as Message);
      const limitMs = timeoutMs ?? DEADLINE_MS;
      const deadline = Date.now() + limitMs;
      const message = await inSpan(path.slice(1), SpanKind.CLIENT, RPC_ATTRIBUTES, () => {
        const headers = headersOf(contextValues, { callee, method: path, timeoutMs: limitMs }, credentials);
        const isRetryable = method.idempotency === Idempotency.NO_SIDE_EFFECTS ? isUnavailable : wasNotSent;
        const send = async () => {
          const stream = streams.pick(request.length);
          if (stream) return stream.call(path, headers, request, deadline - Date.now());
          return callOnce(await clients.connected(), path, request, toMetadata(headers), deadline);
        };
        return withRetries(() => observe(send()), isRetryable, performance.now() + RETRY_BEFORE_MS);
      });
      return { stream: false, service: method.parent, method, header: NO_HEADERS, trailer: NO_HEADERS, message: responseDeserialize(message) as never };
    },
    async stream(method, signal, timeoutMs, _header, input, contextValues) {
      const { path, requestSerialize, responseDeserialize } = definition(method as DescMethodServerStreaming); // implement() accepts no other kind of stream
      const request = create(method.input, await firstOf(input)) as Message;
      const limitMs = timeoutMs ?? STREAM_DEADLINE_MS;
      const metadata = toMetadata(headersOf(contextValues, { callee, method: path, timeoutMs: limitMs }, credentials));
      const call = clients
        .current()
        .makeServerStreamRequest(path, requestSerialize, responseDeserialize, request, metadata, { deadline: Date.now() + limitMs });
      return { stream: true, service: method.parent, method, header: NO_HEADERS, trailer: NO_HEADERS, message: read(call, signal) as never };
    },
    connected: (ms) => new Promise((resolve) => clients.current().waitForReady(Date.now() + ms, () => resolve())),
    close() {
      stopCheck();
      streams.close();
      clients.close();
    },
  };
}

function headersOf(contextValues: ContextValues | undefined, call: OutgoingCall, credentials: Credentials): [string, string][] {
  return toHeaders(contextValues?.get(outgoingKey) ?? fail('UNAUTHENTICATED'), call, credentials);
}

function toMetadata(headers: [string, string][]): grpc.Metadata {
  const metadata = new grpc.Metadata();
  for (const [name, value] of headers) metadata.set(name, value);
  return metadata;
}

/** The messages of a stream. The call is cancelled when the reader stops or `signal` is aborted. */
async function* read(call: grpc.ClientReadableStream<Message>, signal: AbortSignal | undefined): AsyncGenerator<Message> {
  const cancel = () => call.cancel();
  signal?.addEventListener('abort', cancel);
  if (signal?.aborted) cancel();
  try {
    for await (const message of call) yield message;
  } catch (error) {
    throw fromGrpcError(error as grpc.ServiceError);
  } finally {
    signal?.removeEventListener('abort', cancel);
    cancel();
  }
}

function callOnce(client: grpc.Client, path: string, request: Buffer, metadata: grpc.Metadata, deadline: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    client.makeUnaryRequest(path, asIs, asIs, request, metadata, { deadline }, (error, response) => {
      if (error) reject(error);
      else if (response) resolve(response);
    });
  });
}

const isUnavailable = (error: grpc.ServiceError) => fromGrpcError(error).reason === 'UNAVAILABLE';

/** Whether the call was never sent, so that even a call that changes data may be retried. Only the message of the error shows it. */
const wasNotSent = ({ code, details }: grpc.ServiceError) => code === grpc.status.UNAVAILABLE && details.includes('No connection established');

async function withRetries<T>(send: () => Promise<T>, isRetryable: (error: grpc.ServiceError) => boolean, until: number, attempts = 3): Promise<T> {
  try {
    return await send();
  } catch (error) {
    const failed = error as grpc.ServiceError; // grpc-js rejects with nothing else
    if (attempts <= 1 || performance.now() > until || !isRetryable(failed)) throw fromGrpcError(failed);
    await new Promise((resolve) => setTimeout(resolve, 50 + Math.random() * 100));
    return withRetries(send, isRetryable, until, attempts - 1);
  }
}
