// The outbox: events are stored in the transaction of the change and published to JetStream by the relay after the commit. Every committed event
// is published at least once, in any order. The inbox of the consumer (events.ts) makes its effect happen once.
import { create, type DescMessage, type MessageInitShape, toJsonString } from '@bufbuild/protobuf';
import { headers, type JetStreamClient, type NatsConnection } from 'nats';
import { v7 as uuidv7 } from 'uuid';
import { startLoopOnWritten } from '../background/loop.ts';
import { type Pace, pauseAfter } from '../background/pace.ts';
import type { Stoppable } from '../background/stop.ts';
import { asSystem, type Db, executeLast, readSystem, rows, type SystemTx, sql, type Tx } from '../db/db.ts';
import type { Log } from '../telemetry/log.ts';
import { outboxAge, outboxLag, streamRebuilds } from '../telemetry/metrics.ts';
import { continueTrace, currentTraceparent, SpanKind, TRACE_HEADER } from '../telemetry/tracing.ts';
import { type Nats, STREAM } from './nats.ts';
import { checkStream, EVENT_ID_HEADER, type PublishedStream, rememberLast, type StreamMark } from './published-stream.ts';

const insertEvents = sql(`
  insert into outbox (id, clinic_id, subject, payload)
  select e.id, e.clinic_id, 'clinic.' || e.clinic_id || '.' || current_schema() || '.' || e.token, e.payload::jsonb
  from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[]) as e (id, clinic_id, token, payload)`);

type Columns = [ids: string[], clinicIds: string[], tokens: string[], payloads: string[]];
const columnsOf = new WeakMap<Tx, Columns>();

/**
 * Stores an event in the outbox, in the caller's transaction: it is published if, and only if, the transaction commits. All events of a
 * transaction are one statement, sent together with the commit; when it fails, so does the transaction. Throws when `init` does not fit the
 * message. Events contain ids and states, never personal data.
 */
export async function emit<M extends DescMessage>(tx: Tx, clinicId: string, event: M, init: MessageInitShape<M>): Promise<void> {
  tx.wrote.add('events');
  let columns = columnsOf.get(tx);
  if (!columns) {
    columns = [[], [], [], []];
    columnsOf.set(tx, columns);
    executeLast(tx, insertEvents, columns);
  }
  const [ids, clinicIds, tokens, payloads] = columns;
  ids.push(uuidv7());
  clinicIds.push(clinicId);
  tokens.push(eventToken(event));
  payloads.push(toJsonString(event, create(event, init)));
}

/** Stores several events of one type, as emit() does. */
export async function emitAll<M extends DescMessage>(tx: Tx, event: M, events: { clinicId: string; init: MessageInitShape<M> }[]): Promise<void> {
  for (const { clinicId, init } of events) await emit(tx, clinicId, event, init);
}

/** The last token of the subject: AppointmentBooked → appointment-booked. */
export function eventToken(event: DescMessage): string {
  return event.name.replace(/(?<=[a-z0-9])(?=[A-Z])/g, '-').toLowerCase();
}

const BATCH = 200;
/** Interval of polls for rows of other processes, which send no signal, such as a replica that stopped. */
const SWEEP_MS = 5_000;
/** Minimum time between two checks of the stream for lost events on one connection. */
const CHECK_MS = 3_000;
const PACE: Pace = { eachMs: 100, mostMs: 400 };
// Shorter than the idle_in_transaction_session_timeout, since the transaction waits for the acknowledgements.
const ACK_MS = 5_000;

type OutboxRow = { id: string; subject: string; payload: string; trace: string | null };

// Selects by published_at and not by "id greater than the last": a row may be committed after rows with higher ids.
const lockUnpublished = sql<OutboxRow>(`
  select id, subject, payload::text, trace from outbox where published_at is null
  order by id limit $1 for update skip locked`);
// Events that were published to a lost stream. They are published after new events, which a rebuild therefore does not delay.
const lockLost = sql<OutboxRow>(`
  select id, subject, payload::text, trace from outbox
  where published_at < (select since from published_stream where name = $2)
  order by published_at limit $1 for update skip locked`);
// published_at is never before the creation of the stream (`since`): after the clock was set back, the event would be published again and again.
// When the stream was replaced meanwhile, published_at becomes null and the event is published to the new stream.
const markPublished = sql(`
  update outbox set published_at = (select greatest(now(), since) from published_stream where name = $2 and created_at = $3) where id = any($1::uuid[])`);
type Measured = { unpublished: bigint; seconds: number | null; lost: boolean; created_at: string | null } & Omit<PublishedStream, 'created_at'>;
const measureOutbox = sql<Measured>(`
  select o.unpublished, o.seconds, exists (select from outbox where published_at < s.since) as lost, s.created_at, s.last_seq, s.last_id
  from (select count(*) as unpublished, extract(epoch from now() - min(created_at))::float8 as seconds from outbox where published_at is null) o
    left join published_stream s on s.name = $1`);

/**
 * Publishes the events of the outbox until stopped, each at least once: right after a commit of this process, and within SWEEP_MS for rows of
 * others. While NATS is unavailable or the stream is full, they wait in the outbox. The relays of several replicas share the work by locking rows.
 */
export function startRelay(options: { db: Db; nats: Nats; log: Log }): Stoppable {
  const { db, log } = options;
  streamRebuilds.inc({ service: db.schema }, 0); // creates the time series, so that the first rebuild is visible as an increase
  const failure = 'events could not be published and wait in the outbox';
  return startLoopOnWritten(db, 'events', { log, failure, everyMs: SWEEP_MS }, createPass(options));
}

function createPass({ db, nats, log }: { db: Db; nats: Nats; log: Log }) {
  let checked: { mark: StreamMark; connects: number } | undefined;
  let nextCheck = 0;
  return async (stopped: AbortSignal): Promise<void> => {
    const due = performance.now() >= nextCheck;
    if (due) nextCheck = performance.now() + CHECK_MS;
    const { waiting, stream } = due ? await measure(db) : { waiting: true, stream: undefined };
    const connection = nats.live();
    const known = checked;
    checked = undefined; // so that the next pass checks the stream again if this one fails
    if (!connection) return;
    const connects = nats.connects();
    const check = due || known?.connects !== connects;
    let published = 0;
    try {
      const manager = await connection.jetstreamManager({ checkAPI: false, timeout: ACK_MS });
      const before = known?.connects === connects ? known.mark : undefined;
      const current = check ? { mark: await checkStream(db, manager, log, { settings: nats.settings, row: stream, before }), connects } : known;
      if (waiting || current.mark.createdAt !== known?.mark.createdAt) {
        let size = BATCH;
        while (!stopped.aborted && size === BATCH) published += size = await publishBatch(db, connection, current.mark, check);
      }
      checked = current;
      nats.succeeded();
    } catch (error) {
      nats.failed(error);
      throw error;
    }
    await pauseAfter(published, PACE, stopped);
  };
}

/** Publishes one batch and returns its size. Marks the acknowledged events as published, and throws if any event was not acknowledged. */
async function publishBatch(db: Db, connection: NatsConnection, mark: StreamMark, withLost: boolean): Promise<number> {
  const stream = connection.jetstream({ timeout: ACK_MS });
  // As the system, because the outbox contains the events of all clinics.
  const { size, failure } = await asSystem(db, async (tx) => {
    const batch = await rows(tx, lockUnpublished, [BATCH]);
    if (withLost && batch.length < BATCH) batch.push(...(await rows(tx, lockLost, [BATCH - batch.length, STREAM])));
    return { size: batch.length, failure: batch.length > 0 ? await publish(tx, stream, batch, mark) : undefined };
  });
  if (failure) throw failure;
  return size;
}

/** Publishes the rows and marks the acknowledged ones. Returns the first error. */
async function publish(tx: SystemTx, stream: JetStreamClient, batch: OutboxRow[], mark: StreamMark): Promise<Error | undefined> {
  const results = await Promise.allSettled(batch.map((event) => publishOne(stream, event)));
  const acknowledged = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  const [newest] = acknowledged.toSorted((a, b) => b.seq - a.seq);
  if (newest) {
    executeLast(tx, markPublished, [acknowledged.map(({ id }) => id), STREAM, mark.createdAt]);
    rememberLast(tx, mark, newest.seq, newest.id);
  }
  return results.find((result) => result.status === 'rejected')?.reason;
}

function publishOne(stream: JetStreamClient, event: OutboxRow) {
  const name = `publish ${event.subject.split('.').slice(2).join('.')}`; // without the clinic
  return continueTrace(event.trace, name, SpanKind.PRODUCER, {}, async () => {
    const header = headers();
    header.set(EVENT_ID_HEADER, event.id);
    const traceparent = currentTraceparent() ?? event.trace; // a process that records no spans passes on the stored one
    if (traceparent !== null) header.set(TRACE_HEADER, traceparent);
    const { seq } = await stream.publish(event.subject, event.payload, { msgID: event.id, headers: header, expect: { streamName: STREAM } });
    return { id: event.id, seq };
  });
}

/** Sets the metrics of the outbox. Returns whether there are events to publish, and the row of the stream, which saves checkStream() a read. */
async function measure(db: Db): Promise<{ waiting: boolean; stream: PublishedStream | undefined }> {
  // As the system, because the outbox contains the events of all clinics.
  const [measured] = await readSystem(db, measureOutbox, [STREAM]);
  if (!measured) return { waiting: true, stream: undefined };
  const { unpublished, seconds, lost, created_at, ...last } = measured;
  outboxLag.set({ service: db.schema }, Number(unpublished));
  outboxAge.set({ service: db.schema }, Math.max(0, seconds ?? 0));
  return { waiting: unpublished > 0n || lost, stream: created_at === null ? undefined : { created_at, ...last } };
}
