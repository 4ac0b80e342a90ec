// Detects that the stream lost events: it was deleted together with its store, or a crash lost its newest acknowledged events. In both cases
// all events that the outbox retains are published again (OUTBOX_DAYS in lib/db/retention.ts).
import { setTimeout as sleep } from 'node:timers/promises';
import type { JetStreamManager, StreamInfo } from 'nats';
import { asSystem, type Db, execute, executeLast, readSystem, rows, type SystemTx, sql } from '../db/db.ts';
import type { Log } from '../telemetry/log.ts';
import { streamBytes, streamMaxBytes, streamRebuilds } from '../telemetry/metrics.ts';
import { ensureStream, isMissing, STREAM, type StreamSettings } from './nats.ts';

/** The header with the id of the event. JetStream's own header Nats-Msg-Id, by which the stream drops duplicates, has the same id. */
export const EVENT_ID_HEADER = 'Clinic-Event-Id';

export type StreamMark = {
  /** When the server created the stream, which identifies it. */
  createdAt: string;
  /** The newest message of the stream, and the newest event of this service, when the stream was last found complete. */
  newest: string;
};

const CONFIRMATIONS = 2;
const CONFIRM_MS = 500;

/** The row of the stream to which events were published, with the sequence number and id of the newest event that it acknowledged. */
export type PublishedStream = { created_at: string; last_seq: bigint | null; last_id: string | null };

const findStream = sql<PublishedStream>('select created_at, last_seq, last_id from published_stream where name = $1');
const insertStream = sql('insert into published_stream (name, created_at) values ($1, $2) on conflict (name) do nothing');
const lockStream = sql(`select pg_advisory_xact_lock(hashtext('event stream ' || $1))`);
// The condition on the former creation time lets only one of several replicas change the row. `since` is after every published_at, also after
// those that were stored before the clock was set back.
const replaceStream = sql(`
  update published_stream set created_at = $2, last_seq = null, last_id = null,
    since = greatest(clock_timestamp(), (select max(published_at) + interval '1 microsecond' from outbox))
  where name = $1 and created_at = $3`);
const updateLast = sql(`
  update published_stream set last_seq = $3, last_id = $4
  where name = $1 and created_at = $2 and (last_seq is null or last_seq < $3)`);

type CheckOptions = {
  settings?: StreamSettings | undefined;
  /** The row, if the caller has just read it. */
  row?: PublishedStream | undefined;
  /** The mark that the last check on the same connection returned. A stream that has not changed since then is complete, without a further request. */
  before?: StreamMark | undefined;
};

/**
 * Creates the stream when it is missing and returns its mark once it is complete. When the stream was replaced or lost acknowledged events, all
 * events in the outbox then count as unpublished. Throws when JetStream or PostgreSQL does not respond.
 */
export async function checkStream(db: Db, manager: JetStreamManager, log: Log, { settings, row, before }: CheckOptions): Promise<StreamMark> {
  const find = async () => (row ? [row] : readSystem(db, findStream, [STREAM]));
  const { known, info, newest, intact } = await inspect(find, manager, settings, before);
  streamBytes.set(info.state.bytes);
  streamMaxBytes.set(Math.max(0, info.config.max_bytes));
  if (!known) {
    await asSystem(db, (tx) => execute(tx, insertStream, [STREAM, info.created]));
  } else if (known.created_at !== info.created) {
    if ((await asSystem(db, (tx) => execute(tx, replaceStream, [STREAM, info.created, known.created_at]))) === 1) {
      streamRebuilds.inc({ service: db.schema });
      log.warn({ stream: STREAM }, 'the event stream was replaced; all events of the outbox are published again');
    }
  } else if (intact) {
    return { createdAt: info.created, newest };
  } else if (await asSystem(db, (tx) => deleteDamaged(tx, manager, settings))) {
    log.error({ stream: STREAM }, 'the event stream lost acknowledged events; it was deleted and will be rebuilt from the outbox');
  }
  return checkStream(db, manager, log, { settings });
}

/**
 * Deletes the stream when every check confirms the loss. The whole stream is deleted, because a consumer may have read beyond the lost events
 * and would skip the sequence numbers that are assigned to new events. All services of the database share the lock, and a relay that waited for
 * it checks again, so that it does not delete a stream that another relay has just created.
 */
async function deleteDamaged(tx: SystemTx, manager: JetStreamManager, settings?: StreamSettings): Promise<boolean> {
  await rows(tx, lockStream, [STREAM]);
  for (let confirmation = 0; confirmation < CONFIRMATIONS; confirmation++) {
    await sleep(CONFIRM_MS);
    const { known, info, intact } = await inspect(() => rows(tx, findStream, [STREAM]), manager, settings);
    if (intact || known?.created_at !== info.created) return false;
  }
  await manager.streams.delete(STREAM).catch((error: unknown) => {
    if (!isMissing(error)) throw error;
  });
  return true;
}

/** Reads the row before the stream, so that an intact stream contains the event of the row even while other relays publish. */
async function inspect(find: () => Promise<PublishedStream[]>, manager: JetStreamManager, settings?: StreamSettings, before?: StreamMark) {
  const [known] = await find();
  const info = await ensureStream(manager, settings);
  const newest = `${info.state.last_seq} ${info.state.last_ts} ${known?.last_id}`;
  const isSame = before?.createdAt === info.created && before.newest === newest;
  const intact = known?.created_at === info.created && (isSame || (await containsLast(manager, info, known)));
  return { known, info, newest, intact };
}

/** Stores the sequence number and id of the newest acknowledged event with the commit of the transaction that marks it as published. */
export function rememberLast(tx: SystemTx, mark: StreamMark, seq: number, id: string): void {
  executeLast(tx, updateLast, [STREAM, mark.createdAt, seq, id]);
}

async function containsLast(manager: JetStreamManager, info: StreamInfo, { last_seq, last_id }: PublishedStream): Promise<boolean> {
  if (last_seq === null) return true;
  const seq = Number(last_seq);
  if (seq > info.state.last_seq) return false;
  if (seq < info.state.first_seq) return true; // expired, not lost
  try {
    const message = await manager.streams.getMessage(STREAM, { seq });
    return message.header.get(EVENT_ID_HEADER) === last_id;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}
