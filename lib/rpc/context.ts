// Metadata of a call: caller, idempotency key and trace. Within a process it is passed as an object, between processes as headers.
import { type CallOptions, createContextKey, createContextValues } from '@connectrpc/connect';
import type { NamedKey } from '../config/config.ts';
import { fail } from '../errors/errors.ts';
import { currentTraceparent, TRACE_HEADER } from '../telemetry/tracing.ts';
import { type Caller, signCaller, verifyCaller } from './caller.ts';
import type { Call } from './pipeline.ts';

export type Outgoing = { caller: Caller; idempotencyKey?: string | undefined };

export const outgoingKey = createContextKey<Outgoing | undefined>(undefined, { description: 'caller of an RPC' });

/** Default deadline of an RPC. */
export const DEADLINE_MS = 10_000;
/** Default deadline of a stream. */
export const STREAM_DEADLINE_MS = 600_000;

const CALLER_HEADER = 'x-clinic-caller';
const IDEMPOTENCY_HEADER = 'idempotency-key';

/** Call options of a Connect client: `client.bookAppointment(request, callAs(caller))`. */
export function callAs(caller: Caller, idempotencyKey?: string): CallOptions {
  return { contextValues: createContextValues().set(outgoingKey, { caller, idempotencyKey }) };
}

/** The headers of a call to another process. */
export function toHeaders({ caller, idempotencyKey }: Outgoing, keys: NamedKey[]): [string, string][] {
  const headers: [string, string][] = [[CALLER_HEADER, signCaller(caller, keys, Date.now())]];
  if (idempotencyKey !== undefined) headers.push([IDEMPOTENCY_HEADER, idempotencyKey]);
  const traceparent = currentTraceparent();
  if (traceparent !== undefined) headers.push([TRACE_HEADER, traceparent]);
  return headers;
}

/** The call from the headers of a request. Throws UNAUTHENTICATED without a valid caller token. */
export function fromHeaders(header: (name: string) => string | undefined, keys: NamedKey[], deadline: number): Call {
  const caller = verifyCaller(header(CALLER_HEADER) ?? '', keys, Date.now());
  if (!caller) fail('UNAUTHENTICATED', `Send a valid ${CALLER_HEADER}: npm run caller-token prints one`);
  return { caller, idempotencyKey: header(IDEMPOTENCY_HEADER), deadline, traceparent: header(TRACE_HEADER) };
}

/** The request of a server-streaming call. */
export async function firstOf<T>(requests: AsyncIterable<T>): Promise<T> {
  for await (const request of requests) return request;
  return fail('INTERNAL', 'the call has no request message');
}
