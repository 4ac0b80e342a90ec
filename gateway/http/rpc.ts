// Calls RPCs by their method descriptors, which rows name, so that no typed clients are needed.
import type { DescMethodServerStreaming, DescMethodUnary, DescService, Message, MessageInitShape, MessageShape } from '@bufbuild/protobuf';
import { ServiceError } from '@clinic/lib/errors/errors.ts';
import type { Caller } from '@clinic/lib/rpc/caller.ts';
import { callAs, DEADLINE_MS } from '@clinic/lib/rpc/context.ts';
import type { Transport } from '@connectrpc/connect';

/** The transport of a service by name: identity, scheduling, … */
export type Transports = (service: string) => Transport;

/** The service that implements a contract: clinic.scheduling.v1.DoctorService → scheduling. */
export const serviceOf = (contract: DescService): string => contract.typeName.split('.')[1] ?? '';

/** Calls `method` as `caller`. Throws the ServiceError of the service, or UNAVAILABLE after `timeoutMs`. */
export async function call<M extends DescMethodUnary>(
  transport: Transport,
  method: M,
  input: MessageInitShape<M['input']>,
  caller: Caller,
  { idempotencyKey, timeoutMs = DEADLINE_MS }: { idempotencyKey?: string | undefined; timeoutMs?: number } = {},
): Promise<MessageShape<M['output']>> {
  const { contextValues } = callAs(caller, idempotencyKey);
  const response = await within(timeoutMs, transport.unary(method, undefined, timeoutMs, undefined, input, contextValues));
  return response.message as Message as MessageShape<M['output']>;
}

/** Calls a streaming `method`. The service stops working when the caller stops reading or aborts `signal`. */
export async function* callStream<M extends DescMethodServerStreaming>(
  transport: Transport,
  method: M,
  input: MessageInitShape<M['input']>,
  caller: Caller,
  signal: AbortSignal,
): AsyncGenerator<MessageShape<M['output']>> {
  const requests = (async function* () {
    yield input as Message;
  })();
  const response = await transport.stream(method as DescMethodServerStreaming, signal, undefined, undefined, requests, callAs(caller).contextValues);
  yield* response.message as AsyncIterable<Message> as AsyncIterable<MessageShape<M['output']>>;
}

/** Throws UNAVAILABLE after `ms`. Needed because calls within one process have no time limit. The work itself goes on. */
export function within<T>(ms: number, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new ServiceError('UNAVAILABLE', `no reply within ${ms} ms`)), ms);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
