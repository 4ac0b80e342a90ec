// Receives the messages of a durable pull consumer, one batch at a time.
import type { JsMsg, NatsConnection } from 'nats';
import { createBatches } from '../background/batches.ts';
import { type Pace, pauseAfter } from '../background/pace.ts';
import { STREAM } from './nats.ts';

const BATCH = 50;
const PACE: Pace = { eachMs: 100, mostMs: 1_000 };
const PULL_MS = 30_000;
const HEARTBEAT_MS = 5_000;

/**
 * Milliseconds until the next pull ends: at multiples of PULL_MS since the process started, so that the pulls of all consumers of an idle process
 * end together. A pull is longer than two heartbeats.
 */
function untilNextPull(): number {
  const rest = PULL_MS - (performance.now() % PULL_MS);
  return Math.ceil(rest > 2 * HEARTBEAT_MS + 1 ? rest : rest + PULL_MS);
}

type Pull = { name: string; ackWaitMs: number; stopped: AbortSignal; together: boolean };

/** Pulls until stopped or the connection is closed. Throws when the consumer was deleted. Messages are reported as in progress until they are handled. */
export async function pull(
  connection: NatsConnection,
  { name, ackWaitMs, stopped, together }: Pull,
  handle: (messages: JsMsg[]) => Promise<void>,
): Promise<void> {
  const consumer = await connection.jetstream().consumers.get(STREAM, name);
  const waiting = new Set<JsMsg>();
  const closed = new AbortController();
  void connection.closed().then(() => closed.abort());
  const ended = AbortSignal.any([stopped, closed.signal]);
  let extension: NodeJS.Timeout | undefined;
  function extend(): void {
    if (!connection.isClosed()) for (const message of waiting) message.working();
  }
  const work = createBatches<JsMsg>({ size: together ? BATCH : 1 }, async (batch) => {
    if (stopped.aborted) for (const message of batch) message.nak();
    else await handle(batch);
    for (const message of batch) waiting.delete(message);
    if (waiting.size === 0) extension = void clearInterval(extension);
    if (together && batch.length < BATCH) await pauseAfter(batch.length, PACE, stopped);
  });
  try {
    while (!ended.aborted) {
      const messages = await consumer.fetch({ max_messages: BATCH, expires: untilNextPull(), idle_heartbeat: HEARTBEAT_MS });
      const close = () => void messages.close();
      ended.addEventListener('abort', close, { once: true });
      const handled: Promise<void>[] = [];
      try {
        for await (const message of messages) {
          waiting.add(message);
          extension ??= setInterval(extend, ackWaitMs / 3); // only while messages wait, so that it does not run in an idle process
          handled.push(work(message));
          handled.at(-1)?.catch(close);
        }
      } finally {
        ended.removeEventListener('abort', close);
        await Promise.all(handled);
      }
      const end = await messages.closed();
      if (end) throw end;
    }
  } finally {
    clearInterval(extension);
  }
}
