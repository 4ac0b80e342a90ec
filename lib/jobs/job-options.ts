import type { Daily } from './once-per-day.ts';

export type JobOptions = {
  /** Cron schedule with five fields, in UTC. The job also runs when a process starts. Each run is on one of the replicas, with the data `{}`. */
  cron?: string;
  /** Instead of `cron`: the job runs once a day, at this time, or later if that run was missed. */
  daily?: Daily;
  /**
   * Jobs with the same key run one after another in the order in which they were queued, also across retries. Each job needs a key. A job
   * that failed permanently blocks its key until an operator retries or deletes it.
   */
  fifoPerKey?: boolean;
  /** How many jobs run at the same time in each replica. Default 1. */
  concurrency?: number;
  /** How often a failed job is retried: at least once, so that a job whose worker was killed runs again. Default 20. Pauses grow from 1 s to 10 minutes. */
  retries?: number;
  /** Timeout in seconds, after which a run counts as failed. Default 300. */
  limitSeconds?: number;
};
