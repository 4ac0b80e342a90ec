// The queues and schedules of pg-boss. A start reads them first and changes only what differs, since creating a queue takes a lock.
import { isDeepStrictEqual } from 'node:util';
import type { PgBoss, QueueOptions, QueueResult } from 'pg-boss';
import type { JobOptions } from './job-options.ts';

// The job of a killed worker runs again within 30 s: its heartbeat expires, the next poll fails the job, and a poll after its retry delay starts it.
const HEARTBEAT_SECONDS = 10;
const DAY_SECONDS = 86_400;
/** A job that waits longer than this is deleted. */
const WAIT_SECONDS = 365 * DAY_SECONDS;

/** Creates the queues and schedules that do not exist, updates those that differ, and deletes schedules of jobs that are not scheduled any more. */
export async function prepareQueues(boss: PgBoss, jobs: { name: string; options: JobOptions }[]): Promise<void> {
  const queues = new Map((await boss.getQueues()).map((queue) => [queue.name, queue]));
  const schedules = new Map((await boss.getSchedules()).map(({ name, cron }) => [name, cron]));
  for (const { name, options } of jobs) {
    const wanted = queueOf(options);
    const found = queues.get(name);
    if (!found) await boss.createQueue(name, { ...wanted, policy: options.fifoPerKey ? 'key_strict_fifo' : 'standard' });
    else if (!isAsWanted(found, wanted)) await boss.updateQueue(name, wanted);
    if (options.cron !== undefined && schedules.get(name) !== options.cron) await boss.schedule(name, options.cron);
  }
  const scheduled = new Set(jobs.filter(({ options }) => options.cron !== undefined).map(({ name }) => name));
  for (const name of schedules.keys()) if (!scheduled.has(name)) await boss.unschedule(name);
}

export const retriesOf = ({ retries = 20 }: JobOptions) => Math.max(1, retries);

const queueOf = (options: JobOptions) =>
  ({
    retryLimit: retriesOf(options),
    retryDelay: 1,
    retryBackoff: true,
    retryDelayMax: 600,
    expireInSeconds: options.limitSeconds ?? 300,
    heartbeatSeconds: HEARTBEAT_SECONDS,
    // A failed scheduled job is deleted after a day, since its next run does the same work. Other failed jobs stay for an operator: 0 is never.
    deleteAfterSeconds: options.cron === undefined ? 0 : DAY_SECONDS,
    retentionSeconds: WAIT_SECONDS,
  }) satisfies QueueOptions;

type Wanted = ReturnType<typeof queueOf>;

const isAsWanted = (found: QueueResult, wanted: Wanted) =>
  isDeepStrictEqual(wanted, Object.fromEntries(Object.keys(wanted).map((key) => [key, found[key as keyof Wanted]])));
