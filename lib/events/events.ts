// Receiving events: a durable pull consumer for each subscription. The inbox ensures that each event has one effect.
import { type DescMessage, fromJsonString, type Message, type MessageShape } from '@bufbuild/protobuf';
import { AckPolicy, DeliverPolicy, type JsMsg, type NatsConnection, nanos } from 'nats';
import { startLoop } from '../background/loop.ts';
import type { Stoppable } from '../background/stop.ts';
import { asSystem, type Db, execute, type SystemTx, sql } from '../db/db.ts';
import { isExplained } from '../errors/explained.ts';
import { isUuid } from '../formats/uuid.ts';
import type { Log } from '../telemetry/log.ts';
import { eventDelay, eventDuration, eventsHandled } from '../telemetry/metrics.ts';
import { continueTrace, SpanKind, TRACE_HEADER } from '../telemetry/tracing.ts';
import { ensureStream, isMissing, type Nats, STREAM, type StreamSettings } from './nats.ts';
import { eventToken } from './outbox.ts';
import { EVENT_ID_HEADER } from './published-stream.ts';

/** Metadata of an event. */
export type Envelope = { id: string; clinicId: string; subject: string };

/** A subscription: created by subscribe(), started by startConsumers(). */
export type Consumer = {
  name: string;
  producer: string;
  event: DescMessage;
  handle: (tx: SystemTx, event: Message, envelope: Envelope) => Promise<void>;
};

/**
 * Subscribes to an event of the service `producer`. `name` is part of the durable name: a new name reads the stream from the beginning.
 * The transaction given to `handle` also records the event in the inbox. Events may arrive in any order: compare their `revision`.
 */
export function subscribe<M extends DescMessage>(
  name: string,
  producer: string,
  event: M,
  handle: (tx: SystemTx, event: MessageShape<M>, envelope: Envelope) => Promise<void>,
): Consumer {
  return { name, producer, event, handle: handle as unknown as Consumer['handle'] }; // parsed by the same `event` below
}

type Context = {
  service: string;
  db: Db;
  nats: Nats;
  log: Log;
  /** After this time without word from a process, the server delivers its messages to another one. */
  ackWaitMs?: number;
};

/** Handles events until stopped. Recovers when NATS is unavailable and when the stream or a consumer was deleted. */
export async function startConsumers(consumers: Consumer[], context: Context): Promise<Stoppable> {
  const loops = consumers.map((consumer) => consume(consumer, context));
  return {
    async stop() {
      await Promise.all(loops.map((loop) => loop.stop()));
    },
  };
}

// The messages of a batch are handled one after another. Until then each is regularly reported as in progress.
const BATCH = 50;
const PULL_MS = 10_000;
const ACK_WAIT_MS = 10_000;
const RETRY_MS = 1_000;
const MAX_DELAY_MS = 60_000;

function consume(consumer: Consumer, context: Context): Stoppable {
  const { log, nats, ackWaitMs = ACK_WAIT_MS } = context;
  const name = durableName(consumer, context);
  // Creates the time series, so that the first event that fails is visible as an increase.
  for (const outcome of OUTCOMES) eventsHandled.inc({ consumer: name, outcome }, 0);
  return startLoop(
    { log: log.child({ consumer: name }), failure: 'events cannot be received; trying again', everyMs: RETRY_MS },
    async (stopped, recovered) => {
      const connection = await Promise.race([nats.connected(), aborted(stopped)]);
      if (!connection) return;
      try {
        await ensureConsumer(connection, consumer, { name, ackWaitMs, stream: nats.settings });
        recovered();
        await pull(connection, { name, ackWaitMs, stopped }, (message) => receive(message, consumer, context));
      } catch (error) {
        nats.failed(error);
        throw error;
      }
    },
  );
}

const OUTCOMES = ['handled', 'repeated', 'failed', 'unreadable'] as const;

const durableName = (consumer: Consumer, { service }: Context) => `${service}-${consumer.name}`;

type ConsumerSettings = { name: string; ackWaitMs: number; stream: StreamSettings };

/** Creates the consumer, or gives one of an earlier release the present ack_wait. */
async function ensureConsumer(connection: NatsConnection, { producer, event }: Consumer, { name, ackWaitMs, stream }: ConsumerSettings): Promise<void> {
  const manager = await connection.jetstreamManager({ checkAPI: false });
  await ensureStream(manager, stream);
  const ack_wait = nanos(ackWaitMs);
  const existing = await manager.consumers.info(STREAM, name).catch((error: unknown) => {
    if (!isMissing(error)) throw error;
  });
  if (existing && existing.config.ack_wait !== ack_wait) await manager.consumers.update(STREAM, name, { ack_wait });
  if (existing) return;
  await manager.consumers.add(STREAM, {
    durable_name: name,
    filter_subject: `clinic.*.${producer}.${eventToken(event)}`,
    ack_policy: AckPolicy.Explicit,
    ack_wait,
    deliver_policy: DeliverPolicy.All,
    max_deliver: -1,
    max_ack_pending: 1_000,
  });
}

type Pull = { name: string; ackWaitMs: number; stopped: AbortSignal };

/** Pulls until stopped. Throws when the consumer was deleted. */
async function pull(connection: NatsConnection, { name, ackWaitMs, stopped }: Pull, handle: (message: JsMsg) => Promise<void>): Promise<void> {
  const consumer = await connection.jetstream().consumers.get(STREAM, name);
  const waiting = new Set<JsMsg>();
  const extension = setInterval(() => {
    if (connection.isClosed()) return;
    for (const message of waiting) message.working();
  }, ackWaitMs / 3);
  try {
    while (!stopped.aborted) {
      const messages = await consumer.fetch({ max_messages: BATCH, expires: PULL_MS, idle_heartbeat: PULL_MS / 4 });
      const close = () => void messages.close();
      stopped.addEventListener('abort', close, { once: true });
      let handled = Promise.resolve();
      try {
        for await (const message of messages) {
          waiting.add(message);
          handled = handled.then(async () => {
            if (stopped.aborted) message.nak();
            else await handle(message);
            waiting.delete(message);
          });
          handled.catch(close);
        }
      } finally {
        stopped.removeEventListener('abort', close);
        await handled;
      }
      const end = await messages.closed();
      if (end) throw end;
    }
  } finally {
    clearInterval(extension);
  }
}

async function receive(message: JsMsg, consumer: Consumer, context: Context): Promise<void> {
  const { log, service } = context;
  const label = { consumer: `${service}-${consumer.name}` };
  const count = (outcome: (typeof OUTCOMES)[number]) => eventsHandled.inc({ ...label, outcome });
  const envelope = envelopeOf(message);
  let event: Message;
  try {
    if (!envelope) throw new Error('the event has no id or no clinic id');
    event = fromJsonString(consumer.event, message.string(), { ignoreUnknownFields: true });
  } catch (error) {
    // The message of the parse error may quote the payload, so only its type is logged.
    log.error({ consumer: consumer.name, seq: message.seq, type: (error as Error).name }, 'an event could not be parsed and was dropped');
    message.term();
    count('unreadable');
    return;
  }
  const started = performance.now();
  try {
    const traceparent = message.headers?.get(TRACE_HEADER);
    count(await continueTrace(traceparent, `handle ${label.consumer}`, SpanKind.CONSUMER, {}, () => handleOnce(context.db, consumer, event, envelope)));
    message.ack();
    eventDelay.observe(label, Math.max(0, Date.now() - createdAt(envelope.id)) / 1000);
  } catch (error) {
    const fields = { err: error, consumer: consumer.name, event: envelope.id, delivery: message.info.deliveryCount };
    log[isExplained(error) ? 'debug' : 'warn'](fields, 'handling an event failed; it will be delivered again');
    message.nak(Math.min(MAX_DELAY_MS, 500 * 2 ** Math.min(message.info.deliveryCount, 10)));
    count('failed');
  } finally {
    eventDuration.observe(label, (performance.now() - started) / 1000);
  }
}

/** The time in a UUIDv7, in milliseconds since 1970. */
const createdAt = (id: string) => Number.parseInt(id.replace('-', '').slice(0, 12), 16);

function envelopeOf(message: JsMsg): Envelope | undefined {
  const id = message.headers?.get(EVENT_ID_HEADER) || message.headers?.get('Nats-Msg-Id') || '';
  const clinicId = message.subject.split('.')[1] ?? '';
  return isUuid(id) && isUuid(clinicId) ? { id, clinicId, subject: message.subject } : undefined;
}

const insertInbox = sql('insert into inbox (consumer, event_id) values ($1, $2) on conflict do nothing');

/** The effect and the inbox row are one transaction. Another replica that handles the same event waits for it at the insert. */
export function handleOnce(db: Db, consumer: Consumer, event: Message, envelope: Envelope): Promise<'handled' | 'repeated'> {
  // As the system, because events belong to all clinics.
  return asSystem(db, async (tx) => {
    if ((await execute(tx, insertInbox, [consumer.name, envelope.id])) === 0) return 'repeated';
    await consumer.handle(tx, event, envelope);
    return 'handled';
  });
}

const aborted = (signal: AbortSignal) =>
  new Promise<undefined>((resolve) => (signal.aborted ? resolve(undefined) : signal.addEventListener('abort', () => resolve(undefined), { once: true })));
