// Receiving events: a durable pull consumer for each subscription.
import { once } from 'node:events';
import { type DescMessage, fromJsonString, type Message } from '@bufbuild/protobuf';
import { AckPolicy, DeliverPolicy, type JsMsg, type NatsConnection, nanos } from 'nats';
import { startLoop } from '../background/loop.ts';
import { Remembered } from '../background/remembered.ts';
import { type Stoppable, stopTogether } from '../background/stop.ts';
import type { Db } from '../db/db.ts';
import { isExplained } from '../errors/explained.ts';
import { isUuid } from '../formats/uuid.ts';
import type { Log } from '../telemetry/log.ts';
import { eventDelay, eventDuration, eventsHandled } from '../telemetry/metrics.ts';
import { continueTrace, SpanKind, TRACE_HEADER } from '../telemetry/tracing.ts';
import { type Consumer, type Delivered, type Envelope, timeOf } from './events.ts';
import { handleOnce } from './inbox.ts';
import { ensureStream, isMissing, type Nats, STREAM, type StreamSettings } from './nats.ts';
import { eventToken } from './outbox.ts';
import { EVENT_ID_HEADER } from './published-stream.ts';
import { pull } from './pull.ts';

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
  return { stop: () => stopTogether(loops) };
}

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
      // Registers a listener only while there is no connection: one of each pass would stay until the process stops.
      const connection = nats.live() ?? (await Promise.race([nats.connected(), once(stopped, 'abort').then(() => undefined)]));
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
    return { message, envelope, event: eventOf(message, envelope, consumer.event) };
  } catch (error) {
    // The message of the parse error may quote the payload, so only its type is logged.
    context.log.error({ consumer: consumer.name, seq: message.seq, type: (error as Error).name }, 'an event could not be parsed and was dropped');
    message.term();
    eventsHandled.inc({ consumer: durableName(consumer, context), outcome: 'unreadable' });
    return undefined;
  }
}

const parsedEvents = new Remembered<Message>(500);
/** Longer events are the batches of imports, which would take too much memory. */
const MAX_REMEMBERED_BYTES = 8_192;

/** The event of a message. The consumers of a process share it, so that it is parsed once; handlers must not change it. */
function eventOf(message: JsMsg, { id }: Envelope, schema: DescMessage): Message {
  const key = `${schema.typeName} ${id}`;
  const known = parsedEvents.get(key);
  if (known) return known;
  const event = fromJsonString(schema, message.string(), { ignoreUnknownFields: true });
  if (message.data.length <= MAX_REMEMBERED_BYTES) parsedEvents.set(key, event);
  return event;
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

function envelopeOf(message: JsMsg): Envelope | undefined {
  const id = message.headers?.get(EVENT_ID_HEADER) || message.headers?.get('Nats-Msg-Id') || '';
  const clinicId = message.subject.split('.')[1] ?? '';
  return isUuid(id) && isUuid(clinicId) ? { id, clinicId, subject: message.subject } : undefined;
}
