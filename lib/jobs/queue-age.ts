// Metrics of queues in the database: the number of due jobs, and for how long the oldest has been due. They reveal missing or stuck workers.
import { startLoop } from '../background/loop.ts';
import type { Stoppable } from '../background/stop.ts';
import { type Db, readSystem, type Statement } from '../db/db.ts';
import type { Log } from '../telemetry/log.ts';
import { queueAge, queueWaiting } from '../telemetry/metrics.ts';

/** A queue with `waiting` due jobs, the oldest of which has been due for `seconds`. */
export type QueueRow = { queue: string; waiting: bigint; seconds: number };

const EVERY_MS = 15_000;

/** Sets the metrics of the queues every EVERY_MS until stopped. `statement` returns a row for each queue that is not empty. */
export function watchQueues({ db, log }: { db: Db; log: Log }, queues: string[], statement: Statement<QueueRow>): Stoppable {
  const measure = measureQueues(queues);
  return startLoop({ log, failure: 'the metrics of the job queues could not be read', everyMs: EVERY_MS }, async () => {
    // As the system, because the queues contain jobs of all clinics.
    measure(await readSystem(db, statement, []));
  });
}

/** Returns a function that sets the metrics of the queues from their rows; a queue without a row is empty. */
export const measureQueues = (queues: string[]) => (found: QueueRow[]) => {
  const rows = new Map(found.map((row) => [row.queue, row]));
  for (const queue of queues) {
    const row = rows.get(queue);
    queueWaiting.set({ queue }, Number(row?.waiting ?? 0));
    queueAge.set({ queue }, Math.max(0, row?.seconds ?? 0));
  }
};
