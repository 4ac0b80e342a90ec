// The live events of the clinic. After a lost connection the stream resumes after the last event that was received.
import { ClinicError, retryAfterOf } from './errors.ts';
import type { components } from './gen/schema.ts';
import { isTemporary, type Send, sleep } from './retry.ts';

export type LiveEvent = components['schemas']['LiveEvent'];

export type EventOptions = {
  /** Ends the stream. */
  signal?: AbortSignal;
  /** Begins with the events after this one, up to 24 hours back. */
  lastEventId?: string;
  /** Called when a connection is established: the first one, and each one after a loss. */
  onOpen?: () => void;
  /** Called when a connection has ended. */
  onClose?: () => void;
};

const RECONNECT_MS = 2_000;
/** The service sends something at least every 15 seconds: a connection that is silent for longer is lost, even if nothing reports it. */
const MAX_SILENCE_MS = 45_000;

export async function* followEvents(
  send: Send,
  url: string,
  { signal, lastEventId, onOpen, onClose }: EventOptions = {},
): AsyncGenerator<LiveEvent, void, undefined> {
  let lastId = lastEventId;
  while (!signal?.aborted) {
    let wait = RECONNECT_MS * (0.5 + Math.random());
    try {
      const response = await send(new Request(url, { headers: lastId === undefined ? {} : { 'Last-Event-ID': lastId }, ...(signal && { signal }) }));
      if (!response.ok && !isTemporary(response.status)) throw new ClinicError(response, await response.json().catch(() => undefined));
      wait = Math.max(wait, (retryAfterOf(response) ?? 0) * 1000);
      if (response.ok && response.body) {
        onOpen?.();
        try {
          for await (const event of parse(response.body)) {
            lastId = event.id;
            yield event;
          }
        } finally {
          onClose?.();
        }
      } else await response.body?.cancel();
    } catch (error) {
      if (error instanceof ClinicError) throw error;
    }
    await sleep(wait, signal).catch(() => {});
  }
}

async function* parse(body: ReadableStream<Uint8Array>): AsyncGenerator<LiveEvent, void, undefined> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  try {
    for (let text = ''; ; ) {
      const { done, value } = await readInTime(reader);
      if (done) return;
      const blocks = (text + decoder.decode(value, { stream: true })).split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) {
        const { id, event, data } = Object.fromEntries(block.split('\n').map((line) => line.split(/: (.*)/, 2))) as Record<string, string>;
        if (id && event && data) yield { id, event, data: JSON.parse(data) } as LiveEvent; // otherwise a heartbeat
      }
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

type Reader = ReadableStreamDefaultReader<Uint8Array>;

/** Rejects when nothing arrives for MAX_SILENCE_MS. */
function readInTime(reader: Reader): ReturnType<Reader['read']> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silence = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error('the connection is silent')), MAX_SILENCE_MS);
  });
  return Promise.race([reader.read(), silence]).finally(() => clearTimeout(timer));
}
