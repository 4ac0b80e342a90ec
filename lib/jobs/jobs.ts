// Background work that outlives the process: queued in the caller's transaction, done by a worker of the service.
import type pg from 'pg';
import { types } from 'pg';
import { type Db as BossDb, type Job as FoundJob, PgBoss } from 'pg-boss';
import type { Stoppable } from '../background/stop.ts';
import { type Db, sql, type Tx } from '../db/db.ts';
import { jobsSchema } from '../db/jobs-schema.ts';
import type { Log } from '../telemetry/log.ts';
import { jobDuration } from '../telemetry/metrics.ts';
import { continueTrace, currentTraceparent, inNewTrace, SpanKind } from '../telemetry/tracing.ts';
import { type QueueRow, watchQueues } from './queue-age.ts';

export type JobOptions = {
  /** Five fields. The job then also runs by itself, once among all replicas, with `{}`. */
  cron?: string;
  /** IANA zone of `cron`; UTC when absent. */
  timezone?: string;
  /**
   * Jobs of one key run one after another in the order of their queueing, also across retries. Each needs a key. A job
   * that has failed for good holds up its key until somebody decides what to do with it.
   */
  fifoPerKey?: boolean;
  /** How many run at once in each replica. */
  concurrency?: number;
  /** How often a failing job is tried again; the pauses grow from 1 s to 10 minutes. */
  retries?: number;
  /** After that many seconds it counts as failed, whatever it does. */
  limitSeconds?: number;
};

/** A queue and its work: made by job(), started by startJobs(). */
export type Job = { name: string; options: JobOptions; work: (data: object) => Promise<void> };

/**
 * Names a queue, says when it runs by itself and what it does. Work is done at least once, so it re-reads the state
 * before it acts. `data` carries ids, never personal data.
 */
export function job<D extends object>(name: string, options: JobOptions, work: (data: D) => Promise<void>): Job {
  return { name, options, work: work as Job['work'] }; // what is queued under the name is what enqueue() was given for it
}

// By connection, since what pg-boss asks about a queue, once, must not need a second connection while a transaction holds one.
const bosses = new WeakMap<pg.PoolClient, PgBoss>();

/** Queues a job of the service in the caller's transaction: it exists when that commits. `key` is for fifoPerKey. */
export async function enqueue(tx: Tx, name: string, data: object, { startAfter, key }: { startAfter?: Date; key?: string } = {}): Promise<void> {
  let boss = bosses.get(tx.client);
  if (!boss) {
    const { rows } = await tx.client.query<{ schema: string }>('select current_schema() as schema');
    boss = new PgBoss({ schema: jobsSchema(rows[0]?.schema ?? ''), db: through(tx.client) });
    bosses.set(tx.client, boss);
  }
  const traceparent = currentTraceparent();
  await boss.send(name, traceparent === undefined ? data : { ...data, traceparent }, {
    ...(startAfter && { startAfter }),
    ...(key !== undefined && { singletonKey: key }),
  });
}

// A killed worker's job is missed after HEARTBEAT_SECONDS, found at the next look and fetched at the next poll: 30 s at most.
const HEARTBEAT_SECONDS = 10;
const LOOK_SECONDS = 8;
const POLL_SECONDS = 2;
const DAY_SECONDS = 86_400;
const STOP_MS = 10_000;

/** Works on the jobs until stopped. Without jobs nothing is started. */
export async function startJobs(jobs: Job[], { db, log }: { db: Db; log: Log }): Promise<Stoppable> {
  if (jobs.length === 0) return { stop: async () => {} };
  const boss = new PgBoss({
    schema: jobsSchema(db.schema),
    db: through(db.pool),
    // The owner has made the schema; the request role may not change it.
    migrate: false,
    createSchema: false,
    reindex: false,
    monitorVacuum: false,
    schedule: jobs.some(({ options }) => options.cron !== undefined),
    superviseIntervalSeconds: LOOK_SECONDS,
    monitorIntervalSeconds: LOOK_SECONDS,
    maintenanceIntervalSeconds: 3_600,
    flowIntervalSeconds: 3_600,
  });
  boss.on('error', (error) => log.warn({ err: error }, 'jobs'));
  boss.on('warning', ({ message }) => log.warn({ warning: message }, 'jobs'));
  await boss.start();
  for (const one of jobs) await startJob(boss, one, log);
  await unscheduleOthers(boss, jobs);
  const queues = watchQueues(
    { db, log },
    jobs.map(({ name }) => name),
    waiting(db.schema),
  );
  return {
    async stop() {
      await queues.stop();
      await boss.stop({ graceful: true, close: false, timeout: STOP_MS });
    },
  };
}

const waiting = (schema: string) =>
  sql<QueueRow>(`
    select name as queue, count(*) as waiting, extract(epoch from now() - min(start_after))::float8 as seconds
    from ${jobsSchema(schema)}.job where state in ('created', 'retry') and start_after <= now() group by name`);

async function startJob(boss: PgBoss, { name, options, work }: Job, log: Log): Promise<void> {
  const { cron, timezone = 'UTC', fifoPerKey = false, concurrency = 1, retries = 20, limitSeconds = 300 } = options;
  const queue = {
    retryLimit: retries,
    retryDelay: 1,
    retryBackoff: true,
    retryDelayMax: 600,
    expireInSeconds: limitSeconds,
    heartbeatSeconds: HEARTBEAT_SECONDS,
    deleteAfterSeconds: DAY_SECONDS,
  };
  await boss.createQueue(name, { ...queue, policy: fifoPerKey ? 'key_strict_fifo' : 'standard' });
  await boss.updateQueue(name, queue);
  if (cron !== undefined) await boss.schedule(name, cron, {}, { tz: timezone });
  for (let i = 0; i < concurrency; i++) {
    const worker: string = await boss.work<object>(name, { pollingIntervalSeconds: POLL_SECONDS }, async ([found]) => {
      if (!found) return;
      boss.notifyWorker(worker); // looks for the next one as soon as this one is done, instead of at the next poll
      await perform(found);
    });
  }

  async function perform(found: FoundJob<object>): Promise<void> {
    const started = performance.now();
    let outcome = 'done';
    try {
      await inTrace(name, cron !== undefined, found.data ?? {}, work);
    } catch (error) {
      const last = found.retryCount >= retries;
      outcome = last ? 'dead' : 'failed';
      log[last ? 'error' : 'warn']({ err: error, job: name, jobId: found.id, attempt: found.retryCount + 1 }, last ? 'job failed for good' : 'job failed');
      // pg-boss stores what it catches, and a database error quotes rows: the log above has what may be known.
      throw new Error(`${(error as Error).name}, see the log`);
    } finally {
      jobDuration.observe({ queue: name, outcome }, (performance.now() - started) / 1000);
    }
  }
}

/** A job continues the trace in which it was queued; a scheduled one begins a trace. */
function inTrace(queue: string, scheduled: boolean, queued: object & { traceparent?: string }, work: Job['work']): Promise<void> {
  const { traceparent, ...data } = queued;
  const name = `job ${queue}`;
  if (traceparent === undefined && scheduled) return inNewTrace(name, SpanKind.INTERNAL, () => work(data));
  return continueTrace(traceparent, name, SpanKind.CONSUMER, {}, () => work(data));
}

/** A job that has lost its cron line, or is gone, must not run by an old one. */
async function unscheduleOthers(boss: PgBoss, jobs: Job[]): Promise<void> {
  for (const { name } of await boss.getSchedules()) {
    if (!jobs.some((one) => one.name === name && one.options.cron !== undefined)) await boss.unschedule(name);
  }
}

/** pg-boss on the service's own connections. It does arithmetic with what PostgreSQL returns, so the driver's own types hold. */
function through(client: pg.Pool | pg.PoolClient): BossDb {
  return {
    async executeSql(text, values) {
      const result = (await client.query({ text, ...(values && { values }), types })) as pg.QueryResult | pg.QueryResult[];
      return Array.isArray(result) ? { rows: result.flatMap(({ rows }) => rows) } : result;
    },
  };
}
