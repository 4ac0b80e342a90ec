// Deliveries for a number that nobody has proven yet: they wait, and a proof lets them go on.
import { execute, rows, type SystemTx, sql } from '@clinic/lib/db/db.ts';

// One at a time over all replicas, since the order of the threads is made here. Batches are short, so waiting is too.
const lockStatement = sql("select pg_advisory_xact_lock(hashtext('messaging.chat_events'))");

/** Nobody else takes deliveries, or proves a number, until the transaction ends. */
export async function lockDeliveryProcessing(tx: SystemTx): Promise<void> {
  await rows(tx, lockStatement);
}

// They keep their place: what came first is worked on first.
const releaseStatement = sql(`
  update chat_events set status = 'received', detail = '' where status = 'unproven_number' and waits_for ? $1`);

/** Has the deliveries worked on that wait for the proof of the number. */
export async function releaseUnprovenDeliveries(tx: SystemTx, numberId: string): Promise<void> {
  await execute(tx, releaseStatement, [numberId]);
}
