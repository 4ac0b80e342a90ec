// How many wait in a queue of the database, and since when: the sign that workers are too few or stuck.

import { startLoop } from '../background/loop.ts';
import type { Stoppable } from '../background/stop.ts';
import { type Db, readSystem, type Statement } from '../db/db.ts';
import type { Log } from '../telemetry/log.ts';
import { queueAge, queueWaiting } from '../telemetry/metrics.ts';

/** A row for each queue in which something is due; `seconds` since the oldest of it is. */
export type QueueRow = { queue: string; waiting: bigint; seconds: number };

const EVERY_MS = 15_000;

/** Measures these queues until stopped. One that the statement does not name is empty. */
export function watchQueues({ db, log }: { db: Db; log: Log }, queues: string[], statement: Statement<QueueRow>): Stoppable {
  return startLoop({ log, failure: 'queues are not measured', everyMs: EVERY_MS }, () => measure(db, queues, statement));
}

async function measure(db: Db, queues: string[], statement: Statement<QueueRow>): Promise<void> {
  // As the system: over all clinics.
  const found = new Map((await readSystem(db, statement, [])).map((row) => [row.queue, row]));
  for (const queue of queues) {
    const row = found.get(queue);
    queueWaiting.set({ queue }, Number(row?.waiting ?? 0));
    queueAge.set({ queue }, Math.max(0, row?.seconds ?? 0));
  }
}
