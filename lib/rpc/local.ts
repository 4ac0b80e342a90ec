// Calls between services in one process: the same pipeline, without serialisation.
import { create, type DescMethod, type Message } from '@bufbuild/protobuf';
import type { ContextValues, Transport } from '@connectrpc/connect';
import { fail } from '../errors/errors.ts';
import { DEADLINE_MS, firstOf, fromKey, outgoingKey, STREAM_DEADLINE_MS } from './context.ts';
import type { Call, Implementation, Rpc, StreamRpc, UnaryRpc } from './pipeline.ts';

const NO_HEADERS = new Headers();

/** A transport to these implementations. They may be added to the array until the first call. */
export function localTransport(implementations: Implementation[]): Transport {
  let known: Map<unknown, Rpc> | undefined;
  const find = (method: DescMethod): Rpc => {
    known ??= new Map(implementations.flatMap(({ rpcs }) => rpcs.map((rpc) => [rpc.method, rpc])));
    return known.get(method) ?? fail('INTERNAL', `${method.parent.typeName}.${method.name} is not implemented in this process`);
  };
  return {
    async unary(method, _signal, timeoutMs, _header, input, contextValues) {
      const message = await (find(method) as UnaryRpc).run(create(method.input, input) as Message, callOf(contextValues, timeoutMs ?? DEADLINE_MS));
      return { stream: false, service: method.parent, method, header: NO_HEADERS, trailer: NO_HEADERS, message: message as never };
    },
    async stream(method, signal, timeoutMs, _header, input, contextValues) {
      const limit = timeoutMs ?? STREAM_DEADLINE_MS;
      const left = new AbortController();
      const call = { ...callOf(contextValues, limit), signal: AbortSignal.any([left.signal, AbortSignal.timeout(limit), ...(signal ? [signal] : [])]) };
      const message = until(left, call.signal, (find(method) as StreamRpc).stream(create(method.input, await firstOf(input)) as Message, call));
      return { stream: true, service: method.parent, method, header: NO_HEADERS, trailer: NO_HEADERS, message: message as never };
    },
  };
}

function callOf(contextValues: ContextValues | undefined, timeoutMs: number): Call {
  const { caller, idempotencyKey } = contextValues?.get(outgoingKey) ?? fail('UNAUTHENTICATED');
  // Without transportFrom(), as in tests, a service caller counts as the calling process, and any other caller as coming from the gateway.
  const from = contextValues?.get(fromKey) ?? (caller.kind === 'service' ? caller.id : 'gateway');
  return {
    caller: caller.kind === 'service' ? { ...caller, id: from } : caller,
    from,
    idempotencyKey,
    deadline: Date.now() + timeoutMs,
    traceparent: undefined, // the active span of the process is the parent
  };
}

/** The messages of a stream. Aborts `left` when the reader stops. When `signal` is aborted, the work ends even if nothing reads. */
async function* until(left: AbortController, signal: AbortSignal, messages: AsyncGenerator<Message>): AsyncGenerator<Message> {
  signal.addEventListener('abort', () => void messages.return(undefined).catch(() => {}));
  try {
    yield* messages;
  } finally {
    left.abort();
  }
}
