// Opens server-streaming calls.
import type { DescMethodServerStreaming, Message } from '@bufbuild/protobuf';
import type { Caller } from '@clinic/lib/rpc/caller.ts';
import { DEADLINE_MS } from '@clinic/lib/rpc/context.ts';
import type { Transport } from '@connectrpc/connect';
import { callStream, within } from '../http/rpc.ts';

/** `abort` ends the call; it must be aborted when the client disconnects. */
export type OpenStream = { first: IteratorResult<Message, unknown>; rest: AsyncGenerator<Message>; abort: AbortController };

/** Waits for the first message, so that an error before it is sent as an error response. Throws UNAVAILABLE after `timeoutMs`. */
export async function openStream(
  transport: Transport,
  rpc: DescMethodServerStreaming,
  input: object,
  caller: Caller,
  timeoutMs = DEADLINE_MS,
): Promise<OpenStream> {
  const abort = new AbortController();
  const rest = callStream(transport, rpc, input as never, caller, abort.signal) as AsyncGenerator<Message>;
  try {
    return { first: await within(timeoutMs, rest.next()), rest, abort };
  } catch (error) {
    abort.abort();
    throw error;
  }
}
