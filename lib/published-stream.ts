// Notices that the stream is not the one that the outbox was published to: deleted with its store, or robbed of its tail
// by a crash after it had acknowledged. Either way everything that the outbox keeps is published again.
import type { JetStreamManager, StreamInfo } from 'nats';
import { asSystem, type Db, row, run, type SystemTx, sql } from './db.ts';
import type { Log } from './log.ts';
import { ensureStream, isMissing, STREAM } from './nats.ts';

/** The header that carries the event's id. Nats-Msg-Id carries it too, for the stream's own deduplication. */
export const EVENT_ID_HEADER = 'Clinic-Event-Id';

/** When the stream was created, as the server tells it. */
export type StreamMark = { createdAt: string };

type PublishedStream = { created_at: string; last_seq: bigint | null; last_id: string | null };

const findStream = sql<PublishedStream>('select created_at, last_seq, last_id from published_stream where name = $1');
const insertStream = sql('insert into published_stream (name, created_at) values ($1, $2) on conflict (name) do nothing');
// The condition on the old date lets one of several replicas win; the others find it done.
const replaceStream = sql(`
  update published_stream set created_at = $2, since = clock_timestamp(), last_seq = null, last_id = null
  where name = $1 and created_at = $3`);
const updateLast = sql(`
  update published_stream set last_seq = $3, last_id = $4
  where name = $1 and created_at = $2 and (last_seq is null or last_seq < $3)`);

/** Makes the stream when it is missing and returns its mark. Rows published before a change of streams count as unpublished from then on. */
export async function checkStream(db: Db, manager: JetStreamManager, log: Log, replicas = 1): Promise<StreamMark> {
  const info = await ensureStream(manager, replicas);
  const known = await asSystem(db, async (tx) => {
    await run(tx, insertStream, [STREAM, info.created]);
    return row(tx, findStream, [STREAM]);
  });
  if (!known) throw new Error('published_stream has no row');
  if (known.created_at !== info.created) {
    await asSystem(db, (tx) => run(tx, replaceStream, [STREAM, info.created, known.created_at]));
    log.warn({ stream: STREAM }, 'another stream: the outbox is published again');
    return { createdAt: info.created };
  }
  if (await keepsLast(manager, info, known)) return { createdAt: info.created };
  // Consumers may stand beyond the lost tail and would skip what takes its place, so nothing of this stream is kept.
  log.error({ stream: STREAM }, 'the stream lost events that it had acknowledged: it is made anew');
  await manager.streams.delete(STREAM).catch((error: unknown) => {
    if (!isMissing(error)) throw error;
  });
  return checkStream(db, manager, log, replicas);
}

/** Remembers the newest event that the stream acknowledged, in the transaction that marks it as published. */
export async function rememberLast(tx: SystemTx, mark: StreamMark, seq: number, id: string): Promise<void> {
  await run(tx, updateLast, [STREAM, mark.createdAt, seq, id]);
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
