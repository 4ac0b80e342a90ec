// Deliveries for a number that no clinic has proven yet.
import { execute, rows, type SystemTx, sql } from '@clinic/lib/db/db.ts';

// One transaction at a time over all replicas, because this lock determines the order of messages. Batches are short, so waits are short, too.
const lockStatement = sql("select pg_advisory_xact_lock(hashtext('messaging.chat_events'))");

/** No other transaction processes deliveries or proves a number until this one ends. */
export const lockDeliveryProcessing = (tx: SystemTx) => rows(tx, lockStatement);

const releaseStatement = sql(`
  update chat_events set status = 'received', detail = '' where status = 'unproven_number' and waits_for ? $1`);

/** Queues the deliveries that wait for the proof of the number. They are processed in the order in which they arrived. */
export const releaseUnprovenDeliveries = (tx: SystemTx, numberId: string) => execute(tx, releaseStatement, [numberId]);
