// Detects that the stream lost events: it was deleted together with its store, or a crash lost its newest acknowledged events. In both cases
// all events in the outbox are published again.
import { setTimeout as sleep } from 'node:timers/promises';
import type { JetStreamManager, StreamInfo } from 'nats';
import { asSystem, type Db, execute, readSystem, rows, type SystemTx, sql } from '../db/db.ts';
import type { Log } from '../telemetry/log.ts';
import { streamBytes, streamMaxBytes, streamRebuilds } from '../telemetry/metrics.ts';
import { ensureStream, isMissing, STREAM, type StreamSettings } from './nats.ts';

/** The header with the id of the event. Nats-Msg-Id has it as well, for the deduplication of the stream. */
export const EVENT_ID_HEADER = 'Clinic-Event-Id';

export type StreamMark = {
  /** When the server created the stream, which identifies it. */
  createdAt: string;
  /** Its newest message, and the newest of this service, when it was found complete. */
  newest: string;
};

const CONFIRMATIONS = 2;
const CONFIRM_MS = 500;

/** The stream that events were published to, and the newest that it acknowledged. */
export type PublishedStream = { created_at: string; last_seq: bigint | null; last_id: string | null };

const findStream = sql<PublishedStream>('select created_at, last_seq, last_id from published_stream where name = $1');
const insertStream = sql('insert into published_stream (name, created_at) values ($1, $2) on conflict (name) do nothing');
const lockStream = sql(`select pg_advisory_xact_lock(hashtext('event stream ' || $1))`);
// The condition on the old date ensures that only one of several replicas changes the row. Whatever was published before the clock was set back
// has a later time.
const replaceStream = sql(`
  update published_stream set created_at = $2, last_seq = null, last_id = null,
    since = greatest(clock_timestamp(), (select max(published_at) + interval '1 microsecond' from outbox))
  where name = $1 and created_at = $3`);
const updateLast = sql(`
  update published_stream set last_seq = $3, last_id = $4
  where name = $1 and created_at = $2 and (last_seq is null or last_seq < $3)`);

type CheckOptions = {
  settings?: StreamSettings | undefined;
  /** The row, if it was read just now. */
  row?: PublishedStream | undefined;
  /** The mark that the last check on the same connection returned: a stream in which nothing was published since is complete. */
  before?: StreamMark | undefined;
};

/** Creates the stream when it is missing and returns its mark. When the stream was replaced, all events in the outbox count as unpublished. */
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
 * and would skip the sequence numbers that new events get. All services of the database share the lock: a relay that waited for it checks
 * again, and does not delete the stream that another relay created meanwhile.
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

/** Reads the row before the stream: then an intact stream contains the event of the row, even while other relays publish. */
async function inspect(find: () => Promise<PublishedStream[]>, manager: JetStreamManager, settings?: StreamSettings, before?: StreamMark) {
  const [known] = await find();
  const info = await ensureStream(manager, settings);
  const newest = `${info.state.last_seq} ${info.state.last_ts} ${known?.last_id}`;
  const isSame = before?.createdAt === info.created && before.newest === newest;
  const intact = known?.created_at === info.created && (isSame || (await containsLast(manager, info, known)));
  return { known, info, newest, intact };
}

/** Stores the newest event that the stream acknowledged, in the transaction that marks it as published. */
export async function rememberLast(tx: SystemTx, mark: StreamMark, seq: number, id: string): Promise<void> {
  await execute(tx, updateLast, [STREAM, mark.createdAt, seq, id]);
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
