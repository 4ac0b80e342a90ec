// An answer that comes in pieces: each message of the RPC is a server-sent event, named after the member of its oneof that is set.
// Whatever becomes of the service, the stream ends, and when it breaks it says so.
import { once } from 'node:events';
import type { DescMethodServerStreaming, Message } from '@bufbuild/protobuf';
import type { Caller } from '@clinic/lib/rpc/caller.ts';
import type { Log } from '@clinic/lib/telemetry/log.ts';
import type { Transport } from '@connectrpc/connect';
import type { Response } from 'express';
import { describeError, logFailure } from '../http/errors.ts';
import { requestIdOf } from '../http/request-log.ts';
import { callStream } from '../http/rpc.ts';
import type { Send } from '../http/send.ts';
import { compileJson } from './transcode.ts';

/** Keeps proxies from closing a stream whose next piece is being thought about. */
const HEARTBEAT_MS = 15_000;

type Events = { first: IteratorResult<Message>; rest: AsyncGenerator<Message>; left: AbortController };
type TextOf = (message: Message) => string;

/** Waits for the first message, so that whatever forbids the answer is still an answer of its own. */
export async function openEvents(transport: Transport, rpc: DescMethodServerStreaming, input: object, caller: Caller): Promise<Events> {
  const left = new AbortController();
  const rest = callStream(transport, rpc, input as never, caller, left.signal) as AsyncGenerator<Message>;
  return { first: await rest.next(), rest, left };
}

export function showEvents(events: Events, textOf: TextOf, log: Log): Send {
  return (_request, response, _status, headers) => {
    response.writeHead(200, { ...headers, 'Content-Type': 'text/event-stream; charset=utf-8', 'X-Accel-Buffering': 'no' });
    response.flushHeaders();
    void send(response, events, textOf, log);
  };
}

async function send(response: Response, { first, rest, left }: Events, textOf: TextOf, log: Log): Promise<void> {
  // Nobody reads what is written to a client that has left, and an error of such a write is nobody's either.
  const write = (text: string) => response.destroyed || response.write(text);
  const heartbeat = setInterval(() => write(':\n\n'), HEARTBEAT_MS);
  response.on('error', () => {});
  response.once('close', () => left.abort());
  if (response.destroyed) left.abort();
  try {
    for (let next = first; !next.done && !left.signal.aborted; next = await rest.next()) {
      const text = textOf(next.value);
      if (text !== '' && !write(text)) await once(response, 'drain', { signal: left.signal });
    }
  } catch (thrown) {
    if (!left.signal.aborted) {
      const failure = describeError(thrown);
      logFailure(log, requestIdOf(response), thrown, failure);
      write(`event: error\ndata: ${failure.body}\n\n`);
    }
  } finally {
    clearInterval(heartbeat);
    left.abort();
    await rest.return(undefined).catch(() => {});
    response.end();
  }
}

/** The event of a message, worked out at start. A message in which nothing is set only says that the answer has begun. */
export function compileEvent({ output }: DescMethodServerStreaming): TextOf {
  const [oneof, ...others] = output.oneofs;
  if (!oneof || others.length > 0) throw new Error(`${output.typeName} is no event: it needs one oneof of messages`);
  const members = new Map(
    oneof.fields.map((field) => {
      if (field.fieldKind !== 'message') throw new Error(`${output.typeName}.${field.name} is no message`);
      return [field.localName, { name: field.name, encode: compileJson(field.message) }];
    }),
  );
  return (message) => {
    const { case: chosen, value } = (message as unknown as Record<string, { case?: string; value?: Message }>)[oneof.localName] ?? {};
    const member = chosen === undefined ? undefined : members.get(chosen);
    return member && value ? `event: ${member.name}\ndata: ${JSON.stringify(member.encode(value))}\n\n` : '';
  };
}
