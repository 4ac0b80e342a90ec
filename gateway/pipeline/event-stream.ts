// Responses of streaming RPCs as server-sent events: each message is an event named after the member of its oneof that is set. If the service
// fails, the stream ends with an `error` event.
import { once } from 'node:events';
import type { DescMethodServerStreaming, Message } from '@bufbuild/protobuf';
import type { Log } from '@clinic/lib/telemetry/log.ts';
import type { Response } from 'express';
import { describeError, logFailure } from '../http/errors.ts';
import type { Send } from '../http/send.ts';
import type { OpenStream } from './open-stream.ts';
import { compileJson } from './transcode.ts';

/** Heartbeats keep proxies from closing a stream while no message arrives. */
export const HEARTBEAT_MS = 15_000;
export const HEARTBEAT = ':\n\n';
export const EVENT_STREAM_HEADERS = { 'Content-Type': 'text/event-stream; charset=utf-8', 'X-Accel-Buffering': 'no' };

type ToEvent = (message: Message) => string;

export function sendEvents(stream: OpenStream, toEvent: ToEvent, log: Log): Send {
  return (_request, response, _status, headers) => {
    response.writeHead(200, { ...headers, ...EVENT_STREAM_HEADERS });
    response.flushHeaders();
    void writeEvents(response, stream, toEvent, log);
  };
}

async function writeEvents(response: Response, { first, rest, abort }: OpenStream, toEvent: ToEvent, log: Log): Promise<void> {
  const write = (text: string) => response.destroyed || response.write(text);
  const heartbeat = setInterval(() => write(HEARTBEAT), HEARTBEAT_MS);
  response.on('error', () => {}); // a write to a client that has disconnected
  response.once('close', () => abort.abort());
  if (response.destroyed) abort.abort();
  try {
    for (let next = first; !next.done && !abort.signal.aborted; next = await rest.next()) {
      const text = toEvent(next.value);
      if (text !== '' && !write(text)) await once(response, 'drain', { signal: abort.signal });
    }
  } catch (thrown) {
    if (!abort.signal.aborted) {
      const failure = describeError(thrown);
      logFailure(log, response, thrown, failure);
      write(`event: error\ndata: ${failure.body}\n\n`);
    }
  } finally {
    clearInterval(heartbeat);
    abort.abort();
    await rest.return(undefined).catch(() => {});
    response.end();
  }
}

/** Returns a function that formats a message as an event. A message in which nothing is set only begins the response; its event is ''. */
export function compileEvent({ output }: DescMethodServerStreaming): ToEvent {
  const [oneof, ...others] = output.oneofs;
  if (!oneof || others.length > 0) throw new Error(`${output.typeName} is not an event: it needs exactly one oneof, of messages`);
  const members = new Map(
    oneof.fields.map((field) => {
      if (field.fieldKind !== 'message') throw new Error(`${output.typeName}.${field.name} is not a message`);
      return [field.localName, { name: field.name, encode: compileJson(field.message) }];
    }),
  );
  return (message) => {
    const { case: chosen, value } = (message as unknown as Record<string, { case?: string; value?: Message }>)[oneof.localName] ?? {};
    const member = chosen === undefined ? undefined : members.get(chosen);
    return member && value ? `event: ${member.name}\ndata: ${JSON.stringify(member.encode(value))}\n\n` : '';
  };
}
