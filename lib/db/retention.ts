// Deletes old rows of the outbox, the inbox and the idempotency keys, in small batches, so that no lock is held for long.
import { v7 as uuidv7 } from 'uuid';
import { startLoop } from '../background/loop.ts';
import type { Stoppable } from '../background/stop.ts';
import type { Log } from '../telemetry/log.ts';
import { asSystem, type Db, execute, type SystemTx, sql } from './db.ts';

const DAY_MS = 86_400_000;
/** Days for which the outbox retains events, from their creation. A lost stream can be rebuilt this far back. */
export const OUTBOX_DAYS = 30;
/**
 * Days for which the inbox retains the id of a handled event. No event may be delivered again after that time. The latest possible delivery is of
 * an event that is published again on its last day in the outbox (OUTBOX_DAYS) and delivered again on its last day in the stream (STREAM_DAYS).
 */
export const INBOX_DAYS = 60;

const BATCH = 2_000;
const FIRST_MS = 60_000;
const EVERY_MS = 3_600_000;

// By id, which begins with the time of creation, because published_at changes when a stream is rebuilt.
const deleteOutbox = sql(`
  delete from outbox where id in (select id from outbox where id < $1 and published_at is not null order by id limit ${BATCH})`);
// Rows are found by id for each consumer in turn, since the primary key begins with the consumer. handled_at is compared too, because an event that
// was published late was also handled late.
const deleteInbox = sql(`
  with recursive known as (
    select min(consumer) as consumer from inbox
    union all select (select min(consumer) from inbox i where i.consumer > known.consumer) from known where known.consumer is not null
  )
  delete from inbox where (consumer, event_id) in (
    select old.* from known cross join lateral (
      select i.consumer, i.event_id from inbox i where i.consumer = known.consumer and i.event_id < $1 and i.handled_at < $2 order by i.event_id limit ${BATCH}
    ) old limit ${BATCH})`);
const deleteIdempotencyKeys = sql(`
  delete from idempotency_keys where (clinic_id, key) in (
    select clinic_id, key from idempotency_keys where created_at < now() - interval '24 hours' limit ${BATCH})`);

/** Deletes expired rows. `now`, in milliseconds since 1970, applies to events and the inbox; idempotency keys expire by the clock of the database. */
export async function purge(db: Db, now = Date.now()): Promise<void> {
  const handled = now - INBOX_DAYS * DAY_MS;
  await inBatches(db, (tx) => execute(tx, deleteOutbox, [firstIdAt(now - OUTBOX_DAYS * DAY_MS)]), BATCH);
  await inBatches(db, (tx) => execute(tx, deleteInbox, [firstIdAt(handled), new Date(handled)]), BATCH);
  await inBatches(db, (tx) => execute(tx, deleteIdempotencyKeys), BATCH);
}

/** Deletes expired rows every hour until stopped. */
export function startPurge({ db, log }: { db: Db; log: Log }): Stoppable {
  return startLoop({ log, failure: 'deletion of old outbox, inbox and idempotency rows failed', firstMs: FIRST_MS, everyMs: EVERY_MS }, () => purge(db));
}

/**
 * Repeats a deletion of up to `size` rows, which returns their number, until it finds fewer. Each runs in a transaction of its own, as the system,
 * because the rows belong to all clinics.
 */
export async function inBatches(db: Db, remove: (tx: SystemTx, size: number) => Promise<number>, size = 1_000): Promise<void> {
  while ((await asSystem(db, (tx) => remove(tx, size))) === size);
}

/** The lowest UUIDv7 of an instant. */
const firstIdAt = (ms: number): string => uuidv7({ msecs: ms, seq: 0, random: new Uint8Array(16) });
