// Background work that outlives the process: queued in the caller's transaction, done by a worker of the service.
import type { Db, Tx } from './db.ts';
import type { Log } from './log.ts';
import type { Stoppable } from './stop.ts';

export type JobOptions = { cron?: string; timezone?: string };

/** A queue and its worker: made by job(), started by startJobs(). */
export type Job = { name: string; options: JobOptions; work: (data: never) => Promise<void> };

/** Names a queue, says when it runs by itself and what it does. The work re-reads the state before it acts. */
export function job<D extends object>(name: string, options: JobOptions, work: (data: D) => Promise<void>): Job {
  return { name, options, work };
}

/** Queues a job in the caller's transaction. */
export async function enqueue(tx: Tx, name: string, data: object, options: { startAfter?: Date; key?: string } = {}): Promise<void> {
  void [tx, name, data, options];
}

/** Works on the jobs until stopped. */
export async function startJobs(jobs: Job[], options: { db: Db; log: Log }): Promise<Stoppable> {
  void [jobs, options];
  return { stop: async () => {} };
}
