// The events that a consumer has handled.
import { asSystem, type Db, rows, type SystemTx, sql } from '../db/db.ts';
import type { Consumer, Delivered } from './events.ts';

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
