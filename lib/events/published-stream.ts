// Notices that the stream is not the one that the outbox was published to: deleted with its store, or robbed of its tail
// by a crash after it had acknowledged. Either way everything that the outbox keeps is published again.
import { setTimeout as sleep } from 'node:timers/promises';
import type { JetStreamManager, StreamInfo } from 'nats';
import { asSystem, type Db, execute, readSystem, rows, type SystemTx, sql } from '../db/db.ts';
import type { Log } from '../telemetry/log.ts';
import { streamRebuilds } from '../telemetry/metrics.ts';
import { ensureStream, isMissing, STREAM } from './nats.ts';

/** The header that carries the event's id. Nats-Msg-Id carries it too, for the stream's own deduplication. */
export const EVENT_ID_HEADER = 'Clinic-Event-Id';

/** When the stream was created, as the server tells it. */
export type StreamMark = { createdAt: string };

const CONFIRMATIONS = 2;
const CONFIRM_MS = 500;

type PublishedStream = { created_at: string; last_seq: bigint | null; last_id: string | null };

const findStream = sql<PublishedStream>('select created_at, last_seq, last_id from published_stream where name = $1');
const insertStream = sql('insert into published_stream (name, created_at) values ($1, $2) on conflict (name) do nothing');
const lockStream = sql(`select pg_advisory_xact_lock(hashtext('event stream ' || $1))`);
// The condition on the old date lets one of several replicas win; the others find it done.
const replaceStream = sql(`
  update published_stream set created_at = $2, since = clock_timestamp(), last_seq = null, last_id = null
  where name = $1 and created_at = $3`);
const updateLast = sql(`
  update published_stream set last_seq = $3, last_id = $4
  where name = $1 and created_at = $2 and (last_seq is null or last_seq < $3)`);

/** Creates the stream when it is missing and returns its mark. Rows published before a change of streams count as unpublished from then on. */
export async function checkStream(db: Db, manager: JetStreamManager, log: Log, replicas = 1): Promise<StreamMark> {
  const { known, info, intact } = await inspect(() => readSystem(db, findStream, [STREAM]), manager, replicas);
  if (!known) {
    await asSystem(db, (tx) => execute(tx, insertStream, [STREAM, info.created]));
  } else if (known.created_at !== info.created) {
    if ((await asSystem(db, (tx) => execute(tx, replaceStream, [STREAM, info.created, known.created_at]))) === 1) {
      streamRebuilds.inc({ service: db.schema });
      log.warn({ stream: STREAM }, 'the event stream was replaced: the outbox is published again');
    }
  } else if (intact) {
    return { createdAt: info.created };
  } else if (await asSystem(db, (tx) => deleteDamaged(tx, manager, replicas))) {
    log.error({ stream: STREAM }, 'the event stream lost acknowledged events and was deleted');
  }
  return checkStream(db, manager, log, replicas);
}

/**
 * Deletes the stream if the loss is confirmed; a single contradiction clears it. Consumers may stand beyond the lost tail and
 * would skip what takes its place, so nothing of this stream is kept. The lock is shared by all services of the database: a
 * relay that waited for it looks again and does not delete the stream that the other one has made.
 */
async function deleteDamaged(tx: SystemTx, manager: JetStreamManager, replicas: number): Promise<boolean> {
  await rows(tx, lockStream, [STREAM]);
  for (let confirmation = 0; confirmation < CONFIRMATIONS; confirmation++) {
    await sleep(CONFIRM_MS);
    const { known, info, intact } = await inspect(() => rows(tx, findStream, [STREAM]), manager, replicas);
    if (intact || known?.created_at !== info.created) return false;
  }
  await manager.streams.delete(STREAM).catch((error: unknown) => {
    if (!isMissing(error)) throw error;
  });
  return true;
}

/** Reads the row first and the stream afterwards: a healthy stream then holds every event that the row names, whatever other relays publish meanwhile. */
async function inspect(find: () => Promise<PublishedStream[]>, manager: JetStreamManager, replicas: number) {
  const [known] = await find();
  const info = await ensureStream(manager, replicas);
  const intact = known?.created_at === info.created && (await keepsLast(manager, info, known));
  return { known, info, intact };
}

/** Remembers the newest event that the stream acknowledged, in the transaction that marks it as published. */
export async function rememberLast(tx: SystemTx, mark: StreamMark, seq: number, id: string): Promise<void> {
  await execute(tx, updateLast, [STREAM, mark.createdAt, seq, id]);
}

async function keepsLast(manager: JetStreamManager, info: StreamInfo, { last_seq, last_id }: PublishedStream): Promise<boolean> {
  if (last_seq === null) return true;
  const seq = Number(last_seq);
  if (seq > info.state.last_seq) return false;
  if (seq < info.state.first_seq) return true; // too old for the stream, not lost
  try {
    const message = await manager.streams.getMessage(STREAM, { seq });
    return message.header.get(EVENT_ID_HEADER) === last_id;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}
