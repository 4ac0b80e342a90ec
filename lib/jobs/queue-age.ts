// Metrics of queues in the database: jobs that are due, and how long the oldest has been due. They show missing or stuck workers.

import { startLoop } from '../background/loop.ts';
import type { Stoppable } from '../background/stop.ts';
import { type Db, readSystem, type Statement } from '../db/db.ts';
import type { Log } from '../telemetry/log.ts';
import { queueAge, queueWaiting } from '../telemetry/metrics.ts';

/** A queue with jobs that are due. `seconds`: how long the oldest has been due. */
export type QueueRow = { queue: string; waiting: bigint; seconds: number };

const EVERY_MS = 15_000;

/** Measures the queues until stopped. A queue without a row in the result of the statement is empty. */
export function watchQueues({ db, log }: { db: Db; log: Log }, queues: string[], statement: Statement<QueueRow>): Stoppable {
  const measure = measureQueues(queues);
  return startLoop({ log, failure: 'the metrics of the job queues could not be read', everyMs: EVERY_MS }, async () => {
    // As the system, because the queues contain jobs of all clinics.
    measure(await readSystem(db, statement, []));
  });
}

/** Returns the function that sets the metrics of some queues. */
export const measureQueues = (queues: string[]) => (found: QueueRow[]) => {
  const rows = new Map(found.map((row) => [row.queue, row]));
  for (const queue of queues) {
    const row = rows.get(queue);
    queueWaiting.set({ queue }, Number(row?.waiting ?? 0));
    queueAge.set({ queue }, Math.max(0, row?.seconds ?? 0));
  }
};
