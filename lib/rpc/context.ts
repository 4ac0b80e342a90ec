// Metadata of a call: caller, idempotency key and trace. Within a process it is passed as an object, between processes as headers.
import { type CallOptions, type ContextValues, createContextKey, createContextValues, type Transport } from '@connectrpc/connect';
import { fail } from '../errors/errors.ts';
import { currentTraceparent, TRACE_HEADER } from '../telemetry/tracing.ts';
import type { Caller } from './caller.ts';
import { type Credentials, callerHeaders, type IncomingCall, type OutgoingCall, parseCaller } from './credentials.ts';
import type { Call } from './pipeline.ts';

export type Outgoing = { caller: Caller; idempotencyKey?: string | undefined };

export const outgoingKey = createContextKey<Outgoing | undefined>(undefined, { description: 'caller of an RPC' });
/** The name of the calling service, for calls within a process. */
export const fromKey = createContextKey<string | undefined>(undefined, { description: 'process that makes an RPC' });

/** Default time limit of a unary RPC. */
export const DEADLINE_MS = 10_000;
/** Default time limit of a stream. */
export const STREAM_DEADLINE_MS = 600_000;

const IDEMPOTENCY_HEADER = 'idempotency-key';

/** Call options of a Connect client: `client.bookAppointment(request, callAs(caller))`. */
export function callAs(caller: Caller, idempotencyKey?: string): CallOptions {
  return { contextValues: createContextValues().set(outgoingKey, { caller, idempotencyKey }) };
}

/** The transport for calls of the process `from`, so that calls within one process name their caller, as calls between processes do. */
export function transportFrom(from: string, transport: Transport): Transport {
  const named = (values: ContextValues | undefined) => createContextValues().set(outgoingKey, values?.get(outgoingKey)).set(fromKey, from);
  return {
    unary: (method, signal, timeoutMs, header, input, values) => transport.unary(method, signal, timeoutMs, header, input, named(values)),
    stream: (method, signal, timeoutMs, header, input, values) => transport.stream(method, signal, timeoutMs, header, input, named(values)),
  };
}

/** The headers of a call to another process. */
export function toHeaders({ caller, idempotencyKey }: Outgoing, call: OutgoingCall, credentials: Credentials): [string, string][] {
  const headers = callerHeaders(caller, call, credentials);
  if (idempotencyKey !== undefined) headers.push([IDEMPOTENCY_HEADER, idempotencyKey]);
  const traceparent = currentTraceparent();
  if (traceparent !== undefined) headers.push([TRACE_HEADER, traceparent]);
  return headers;
}

/** The call, from the headers of a request. Throws what parseCaller() throws. `deadline` is in milliseconds since 1970. */
export function fromHeaders(incoming: IncomingCall, credentials: Credentials, deadline: number): Call {
  const { header } = incoming;
  return { ...parseCaller(incoming, credentials), idempotencyKey: header(IDEMPOTENCY_HEADER), deadline, traceparent: header(TRACE_HEADER) };
}

/** The request of a server-streaming call. */
export async function firstOf<T>(requests: AsyncIterable<T>): Promise<T> {
  for await (const request of requests) return request;
  return fail('INTERNAL', 'the call has no request message');
}
