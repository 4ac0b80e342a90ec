// Receiving events: a durable pull consumer for each subscription. Events are delivered at least once and in any order; the inbox, written in the
// transaction of the handler, ensures that the effect of each event in the database happens once.
import { once } from 'node:events';
import { type DescMessage, fromJsonString, type Message, type MessageShape } from '@bufbuild/protobuf';
import { AckPolicy, DeliverPolicy, type JsMsg, type NatsConnection, nanos } from 'nats';
import { createBatches } from '../background/batches.ts';
import { startLoop } from '../background/loop.ts';
import { type Pace, pauseAfter } from '../background/pace.ts';
import type { Stoppable } from '../background/stop.ts';
import { asSystem, type Db, rows, type SystemTx, sql } from '../db/db.ts';
import { isExplained } from '../errors/explained.ts';
import { isUuid, timeOfUuid } from '../formats/uuid.ts';
import type { Log } from '../telemetry/log.ts';
import { eventDelay, eventDuration, eventsHandled } from '../telemetry/metrics.ts';
import { continueTrace, SpanKind, TRACE_HEADER } from '../telemetry/tracing.ts';
import { ensureStream, isMissing, type Nats, STREAM, type StreamSettings } from './nats.ts';
import { eventToken } from './outbox.ts';
import { EVENT_ID_HEADER } from './published-stream.ts';

/** Metadata of an event. `id` is the id that emit() gave it, a UUIDv7; `subject` is `clinic.<clinic id>.<service>.<event>`. */
export type Envelope = { id: string; clinicId: string; subject: string };

/** An event and its metadata. */
export type Delivered<M = Message> = { event: M; envelope: Envelope };

/** A subscription: created by subscribe() or subscribeAll(), started by startConsumers(). */
export type Consumer = {
  name: string;
  producer: string;
  event: DescMessage;
  /** Whether several events may share a transaction. Otherwise `handle` and `read` receive one. */
  together: boolean;
  handle: (tx: SystemTx, events: Delivered[], read: unknown) => Promise<void>;
} & Options<Message, unknown> & { read?: (events: Delivered[]) => Promise<unknown> };

type Options<M, R> = {
  /** Returns false for an event that never has an effect. Such events are dropped without a transaction. `read`: the result of `read`, if any. */
  concerns?: (event: Delivered<M>, read: R) => boolean;
  /** Returns true for an event that may be handled again at any later time without changing anything. Such events are not recorded in the inbox. */
  isRepeatable?: (event: Delivered<M>) => boolean;
};

/**
 * Declares a subscription to an event of the service `producer`. `name` is part of the durable name of the consumer: a new name reads the stream
 * from its beginning. `handle` runs in a transaction of the system that also records the event in the inbox. When it throws, the transaction is
 * rolled back and the event is delivered again after 1 s, 2 s, 4 s and so on, at most after 60 s, until it succeeds; other events are handled
 * meanwhile. Events may arrive in any order: compare their `revision`. `read` is called before the transaction, for calls of other services; what it
 * returns is passed to `handle`. Effects outside the transaction may happen several times.
 */
export function subscribe<M extends DescMessage, R = undefined>(
  name: string,
  producer: string,
  event: M,
  handle: (tx: SystemTx, event: MessageShape<M>, envelope: Envelope, read: R) => Promise<void>,
  { read, ...options }: Options<MessageShape<M>, R> & { read?: (event: MessageShape<M>, envelope: Envelope) => Promise<R> } = {},
): Consumer {
  type One = [Delivered<MessageShape<M>>];
  const one = {
    handle: (tx: SystemTx, [{ event: shape, envelope }]: One, result: R) => handle(tx, shape, envelope, result),
    read: read && (([{ event: shape, envelope }]: One) => read(shape, envelope)),
  };
  return { name, producer, event, together: false, ...one, ...options } as unknown as Consumer; // parse() reads messages with the schema `event`
}

/**
 * subscribe() for frequent events: under load the events of one second, 50 at most, share a transaction. `read` is called before each transaction,
 * to read what `handle` needs from other services. When the transaction fails, each event is handled in its own. Events with a trace are always
 * handled alone.
 */
export function subscribeAll<M extends DescMessage, R = undefined>(
  name: string,
  producer: string,
  event: M,
  handle: (tx: SystemTx, events: Delivered<MessageShape<M>>[], read: R) => Promise<void>,
  options: Options<MessageShape<M>, R> & { read?: (events: Delivered<MessageShape<M>>[]) => Promise<R> } = {},
): Consumer {
  return { name, producer, event, together: true, handle, ...options } as unknown as Consumer;
}

type Context = {
  service: string;
  db: Db;
  nats: Nats;
  log: Log;
  /** Milliseconds after which the server delivers a message again, unless the process has reported it as in progress. Default ACK_WAIT_MS. */
  ackWaitMs?: number;
};

/**
 * Receives and handles the events of all subscriptions until stopped; each replica handles one event, or batch, of a subscription at a time.
 * Recovers from an unavailable NATS and from a deleted stream or consumer. stop() waits for handlers that are running.
 */
export function startConsumers(consumers: Consumer[], context: Context): Stoppable {
  const loops = consumers.map((consumer) => consume(consumer, context));
  return { stop: () => Promise.all(loops.map((loop) => loop.stop())) };
}

const BATCH = 50;
const PACE: Pace = { eachMs: 100, mostMs: 1_000 };
const PULL_MS = 30_000;
const HEARTBEAT_MS = 5_000;
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
      const connection = await Promise.race([nats.connected(), once(stopped, 'abort').then(() => undefined)]);
      if (!connection) return;
      try {
        await ensureConsumer(connection, consumer, { name, ackWaitMs, stream: nats.settings });
        recovered();
        await pull(connection, { name, ackWaitMs, stopped, together: consumer.together }, (messages) => receive(messages, consumer, context));
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

/** Creates the durable consumer if it is missing, and sets the ack_wait of one that an earlier release created. */
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
async function pull(connection: NatsConnection, { name, ackWaitMs, stopped, together }: Pull, handle: (messages: JsMsg[]) => Promise<void>): Promise<void> {
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

type Parsed = Delivered & { message: JsMsg };

async function receive(messages: JsMsg[], consumer: Consumer, context: Context): Promise<void> {
  const parsed = messages.flatMap((message) => parse(message, consumer, context) ?? []);
  // An event with a trace is handled alone, so that its span belongs to that trace.
  const isTraced = ({ message }: Parsed) => Boolean(message.headers?.get(TRACE_HEADER));
  const untraced = parsed.filter((one) => !isTraced(one));
  const handledTogether = untraced.length > 1 && (await attempt(untraced, consumer, context));
  for (const one of handledTogether ? parsed.filter(isTraced) : parsed) await attempt([one], consumer, context);
}

/** Drops an event that cannot be parsed and returns undefined. */
function parse(message: JsMsg, consumer: Consumer, context: Context): Parsed | undefined {
  const envelope = envelopeOf(message);
  try {
    if (!envelope) throw new Error('the event has no id or no clinic id');
    return { message, envelope, event: fromJsonString(consumer.event, message.string(), { ignoreUnknownFields: true }) };
  } catch (error) {
    // The message of the parse error may quote the payload, so only its type is logged.
    context.log.error({ consumer: consumer.name, seq: message.seq, type: (error as Error).name }, 'an event could not be parsed and was dropped');
    message.term();
    eventsHandled.inc({ consumer: durableName(consumer, context), outcome: 'unreadable' });
    return undefined;
  }
}

/**
 * Handles events in one transaction, acknowledges them and returns true. When that fails, returns false: a single event will be delivered again,
 * several are left to the caller, which handles each alone.
 */
async function attempt(events: Parsed[], consumer: Consumer, context: Context): Promise<boolean> {
  const { log, db } = context;
  const label = { consumer: durableName(consumer, context) };
  const [{ message: first }] = events as [Parsed];
  const started = performance.now();
  try {
    const traceparent = first.headers?.get(TRACE_HEADER);
    const fresh = await continueTrace(traceparent, `handle ${label.consumer}`, SpanKind.CONSUMER, {}, () => handleOnce(db, consumer, events));
    eventsHandled.inc({ ...label, outcome: 'handled' }, fresh);
    eventsHandled.inc({ ...label, outcome: 'repeated' }, events.length - fresh);
    for (const { message, envelope } of events) {
      message.ack();
      eventDelay.observe(label, Math.max(0, Date.now() - timeOf(envelope).getTime()) / 1000);
    }
    return true;
  } catch (error) {
    const fields = { err: error, consumer: consumer.name, event: events[0]?.envelope.id, delivery: first.info.deliveryCount };
    if (events.length > 1) {
      log.debug(fields, 'handling events together failed; each is handled alone');
      return false;
    }
    log[isExplained(error) ? 'debug' : 'warn'](fields, 'handling an event failed; it will be delivered again');
    first.nak(Math.min(MAX_DELAY_MS, 500 * 2 ** Math.min(first.info.deliveryCount, 10)));
    eventsHandled.inc({ ...label, outcome: 'failed' });
    return false;
  } finally {
    for (const _ of events) eventDuration.observe(label, (performance.now() - started) / 1000 / events.length);
  }
}

/** When the event was emitted, from its id, a UUIDv7. */
export const timeOf = ({ id }: Pick<Envelope, 'id'>): Date => new Date(timeOfUuid(id));

function envelopeOf(message: JsMsg): Envelope | undefined {
  const id = message.headers?.get(EVENT_ID_HEADER) || message.headers?.get('Nats-Msg-Id') || '';
  const clinicId = message.subject.split('.')[1] ?? '';
  return isUuid(id) && isUuid(clinicId) ? { id, clinicId, subject: message.subject } : undefined;
}

const insertInbox = sql<{ event_id: string }>(`
  insert into inbox (consumer, event_id) select $1, id from unnest($2::uuid[]) as delivered (id) order by id on conflict do nothing returning event_id`);

/**
 * Handles the events that are not in the inbox yet, in one transaction with their inbox rows; another replica that handles the same event waits
 * at the insert. Returns how many of the events had not been handled before, including those that `concerns` excludes. Throws what the handler
 * or `read` throws; the transaction is then rolled back.
 */
export async function handleOnce(db: Db, consumer: Consumer, delivered: Delivered[]): Promise<number> {
  const { concerns, handle, isRepeatable = () => false } = consumer;
  const read = await consumer.read?.(delivered);
  const events = concerns ? delivered.filter((each) => concerns(each, read)) : delivered;
  if (events.length === 0) return delivered.length;
  // As the system, because events belong to all clinics.
  return asSystem(db, async (tx) => {
    const once = events.filter((each) => !isRepeatable(each));
    const fresh = await storeInInbox(tx, consumer, once);
    const first = events.filter((each) => isRepeatable(each) || fresh.delete(each.envelope.id));
    if (first.length > 0) await handle(tx, first, read);
    return delivered.length - events.length + first.length;
  });
}

/** Records the events in the inbox and returns the ids of those that were not recorded yet. */
async function storeInInbox(tx: SystemTx, { name }: Consumer, events: Delivered[]): Promise<Set<string>> {
  if (events.length === 0) return new Set();
  return new Set((await rows(tx, insertInbox, [name, events.map(({ envelope }) => envelope.id)])).map(({ event_id }) => event_id));
}
