// Background jobs that survive the end of the process: queued in the caller's transaction, run at least once by a worker of the service, retried
// when they fail (docs/decisions/jobs.md).
import type pg from 'pg';
import { types } from 'pg';
import { type Db as BossDb, type Job as FoundJob, PgBoss, systemClock } from 'pg-boss';
import { createLane } from '../background/lane.ts';
import { startLoop, startLoopOnWritten } from '../background/loop.ts';
import type { Stoppable } from '../background/stop.ts';
import type { Clock } from '../clock/clock.ts';
import { asSystem, type Db, execute, noteOutage, queryIn, readSystem, sql, type Tx } from '../db/db.ts';
import { jobsSchema } from '../db/jobs-schema.ts';
import { isExplained } from '../errors/explained.ts';
import type { Log } from '../telemetry/log.ts';
import { failedJobs, jobDuration } from '../telemetry/metrics.ts';
import { continueTrace, currentTraceparent, inNewTrace, SpanKind } from '../telemetry/tracing.ts';
import { repairFutureJobs } from './future-jobs.ts';
import type { JobOptions } from './job-options.ts';
import { oncePerDay } from './once-per-day.ts';
import { prepareQueues, retriesOf } from './prepare-queues.ts';
import { measureQueues, type QueueRow } from './queue-age.ts';

/** A queue and the function that handles its jobs: created by job(), started by startJobs(). */
export type Job = { name: string; options: JobOptions; work: (data: object) => Promise<void> };

/**
 * Declares a queue, its options and the function that handles its jobs. The function runs at least once for each job, possibly in two processes at
 * the same time, so it must read the state before it acts. When it throws, the job is retried; after the last retry it is logged as failed
 * permanently, and stays until an operator retries or deletes it (for a day, if it is scheduled). `data` contains ids, never personal data.
 */
export function job<D extends object>(name: string, options: JobOptions, work: (data: D) => Promise<void>): Job {
  return { name, options, work: work as Job['work'] }; // `data` is what enqueue() stored for this queue
}

// One PgBoss for each connection, so that its queries use the connection of the transaction: waiting for a second one could deadlock the pool.
const bosses = new WeakMap<pg.PoolClient, PgBoss>();

/**
 * Queues a job in the caller's transaction, so that it exists if, and only if, that commits. A free worker starts it immediately after the commit in
 * this process, and within POLL_MS in another one or after `startAfter`. `key` is required for queues with fifoPerKey, and ignored for others.
 * Throws when the key is missing, or when the queue does not exist because no process has started its job yet.
 */
export async function enqueue(tx: Tx, name: string, data: object, { startAfter, key }: { startAfter?: Date; key?: string } = {}): Promise<void> {
  let boss = bosses.get(tx.client);
  if (!boss) {
    const { rows } = await queryIn<{ schema: string }>(tx, { text: 'select current_schema() as schema' });
    boss = new PgBoss({ schema: jobsSchema(rows[0]?.schema ?? ''), db: toBossDb(tx.client) });
    bosses.set(tx.client, boss);
  }
  tx.wrote.add('jobs');
  const traceparent = currentTraceparent();
  await boss.send(name, traceparent === undefined ? data : { ...data, traceparent }, {
    db: toBossDb({ query: (query) => queryIn(tx, query) }),
    ...(startAfter && { startAfter }),
    ...(key !== undefined && { singletonKey: key }),
  });
}

/** Interval of the polls that read all queues with one statement and start the workers of those with due jobs. A queued job starts a poll at once. */
const POLL_MS = 5_000;
/** Interval of pg-boss' own polls, one for each worker, which are not needed. */
const WORKER_POLL_SECONDS = 3_600;
const STOP_MS = 10_000;
/** Connections that pg-boss uses at once. Its workers fetch jobs at the same instant, and would otherwise take all connections from requests. */
const BOSS_CONNECTIONS = 1;

/**
 * stop() waits for running jobs, STOP_MS at most; those that are interrupted run again. `afterClockStep` must be called after the clock was set: it
 * repairs stored times that are now in the future, and runs each scheduled job once.
 */
type RunningJobs = Stoppable & { afterClockStep(): Promise<void> };

/** Interval at which pg-boss reports its busy workers. Nothing listens to these reports, and their timer would run in an idle process. */
const REPORT_MS = 2_000;
const DAY_MS = 86_400_000;
/** pg-boss measures its pauses with this clock, and adds its difference from the clock of the database, which it reads every few seconds. */
const monotonicClock = {
  ...systemClock,
  now: () => performance.timeOrigin + performance.now(),
  setInterval: (run: () => void, ms: number) => systemClock.setInterval(run, ms === REPORT_MS ? DAY_MS : ms),
};
const SKEW_SECONDS = 15;
/** Interval at which pg-boss itself reads its queue of scheduled runs, the longest that it accepts; startPoll() makes it read earlier. */
const CRON_WORKER_SECONDS = 45;

type Context = {
  db: Db;
  clock: Clock;
  log: Log;
  /** Jobs wait for this promise: it resolves when the services that they call are available, or after a time limit. */
  dependencies?: Promise<unknown> | undefined;
};

/**
 * Creates the queues and runs their jobs until stopped; without jobs nothing is started. Each scheduled job also runs once now; processes that start
 * within a minute share that run. Throws when the database is unavailable; nothing runs then, and it may be called again.
 */
export async function startJobs(declared: Job[], context: Context): Promise<RunningJobs> {
  const { db, clock, log } = context;
  const jobs = declared.map(({ name, options: { daily, ...options }, work }): Job => {
    if (!daily) return { name, options, work };
    // Queued every hour, at the minute of `at`: oncePerDay() decides whether it is time.
    return { name, options: { ...options, cron: `${Number(daily.at.slice(3))} * * * *` }, work: oncePerDay({ db, clock }, name, daily, work) };
  });
  if (jobs.length === 0) return { afterClockStep: async () => {}, stop: async () => {} };
  const scheduled = jobs.filter(({ options }) => options.cron !== undefined);
  await repairFutureJobs(db);
  const lane = createLane({ concurrent: BOSS_CONNECTIONS, waiting: Number.POSITIVE_INFINITY });
  const query = async (config: pg.QueryConfig) => {
    const leave = await lane();
    try {
      return await db.pool.query(config);
    } catch (error) {
      noteOutage(db, error); // an outage is logged once, by the first statement that fails
      throw error;
    } finally {
      leave();
    }
  };
  const boss = new PgBoss({
    schema: jobsSchema(db.schema),
    db: toBossDb({ query }),
    // The owner creates the schema (migrate.ts); the request role may not change it.
    migrate: false,
    createSchema: false,
    reindex: false,
    monitorVacuum: false,
    schedule: scheduled.length > 0,
    // startPoll() calls supervise() when a worker has died. pg-boss itself would write the statistics of each queue at each interval.
    supervise: false,
    monitorIntervalSeconds: 1,
    maintenanceIntervalSeconds: 3_600,
    cronWorkerIntervalSeconds: CRON_WORKER_SECONDS,
    clock: monotonicClock,
    clockMonitorIntervalSeconds: SKEW_SECONDS,
  });
  boss.on('error', (error) => log[isExplained(error) ? 'debug' : 'warn']({ err: error }, 'pg-boss reported an error'));
  boss.on('warning', ({ message }) => {
    if (!message.includes('Clock skew')) log.warn({ warning: message }, 'pg-boss reported a warning'); // watchClock() reports steps
  });
  const stopBoss = (graceful: boolean) => boss.stop({ graceful, close: false, timeout: STOP_MS });
  const runScheduled = (seconds: number) => Promise.all(scheduled.map(({ name }) => runOnce(boss, name, seconds)));
  try {
    await boss.start();
    await prepareQueues(boss, jobs);
    for (const one of jobs) await startJob(boss, one, context);
    await runScheduled(60);
  } catch (error) {
    await stopBoss(false).catch(() => {});
    throw error;
  }
  const poll = startPoll(boss, jobs, context);
  const deletion = startLoop({ log, failure: 'finished jobs could not be deleted or counted', everyMs: DELETE_MS }, async () => {
    await deleteFinished(db, boss);
    await countFailed(db, jobs);
  });
  return {
    async afterClockStep() {
      await repairFutureJobs(db);
      await runScheduled(1); // the clocks of the process and of the database may be set one after the other
      db.onWritten.get('jobs')?.(); // starts a poll
    },
    async stop() {
      await poll.stop();
      await deletion.stop();
      await stopBoss(true);
    },
  };
}

/**
 * Starts the workers of queues with due jobs, and that of pg-boss' own queue of scheduled runs; fails the jobs of workers that died, so that they are
 * retried; and sets the metrics of the queues.
 */
function startPoll(boss: PgBoss, jobs: Job[], { db, log }: Context): Stoppable {
  const measure = measureQueues(jobs.map(({ name }) => name));
  const find = findQueues(db.schema);
  return startLoopOnWritten(db, 'jobs', { log, failure: 'the job queues could not be read: jobs wait', everyMs: POLL_MS }, async () => {
    // As the system, because the queues contain jobs of all clinics.
    const queues = await readSystem(db, find, []);
    measure(queues);
    const due = queues.filter(({ waiting }) => waiting > 0n).map(({ queue }) => queue);
    for (const { id, name } of boss.getWipData({ includeInternal: true })) if (due.includes(name)) boss.notifyWorker(id);
    if (queues.some(({ abandoned }) => abandoned)) await boss.supervise();
  });
}

const findQueues = (schema: string) =>
  sql<QueueRow & { abandoned: boolean }>(`
    select name as queue, count(*) filter (where state < 'active') as waiting,
      coalesce(extract(epoch from now() - min(start_after) filter (where state < 'active')), 0)::float8 as seconds,
      bool_or(state = 'active' and least(heartbeat_on + heartbeat_seconds * interval '1 s', started_on + expire_seconds * interval '1 s') < now()) as abandoned
    from ${jobsSchema(schema)}.job where state <= 'active' and start_after <= now() group by name`);

const DELETE_MS = 600_000;
const DELETE_BATCH = 2_000;

/** Deletes jobs an hour after they were completed or cancelled, so that the statement of startPoll() reads few rows. */
async function deleteFinished(db: Db, boss: PgBoss): Promise<void> {
  const jobs = `${jobsSchema(db.schema)}.job`;
  const statement = sql(`
    delete from ${jobs} where id in (
      select id from ${jobs} where state in ('completed', 'cancelled') and completed_on < now() - interval '1 hour' limit ${DELETE_BATCH})`);
  // As the system, because the jobs belong to all clinics.
  while ((await asSystem(db, (tx) => execute(tx, statement))) === DELETE_BATCH);
  await boss.supervise(); // deletes scheduled jobs that failed
}

/**
 * Sets the metric of the jobs that failed permanently. Those whose workers were killed or exceeded the time limit are in no log and no other metric.
 * The failed runs of a scheduled job count for a short time, since its next run does the same work.
 */
async function countFailed(db: Db, jobs: Job[]): Promise<void> {
  const statement = sql<{ queue: string; count: bigint }>(`
    select name as queue, count(*) as count from ${jobsSchema(db.schema)}.job
    where state = 'failed' and (deletion_seconds = 0 or completed_on > now() - interval '15 minutes') group by name`);
  // As the system, because the jobs belong to all clinics.
  const counts = new Map((await readSystem(db, statement, [])).map(({ queue, count }) => [queue, Number(count)]));
  for (const { name: queue } of jobs) failedJobs.set({ queue }, counts.get(queue) ?? 0);
}

const OUTCOMES = ['done', 'failed', 'dead'] as const;

/** Starts the workers of the queue. */
async function startJob(boss: PgBoss, { name, options, work }: Job, { log, dependencies }: Context): Promise<void> {
  // Creates the time series, so that the first job that fails is visible as an increase.
  for (const outcome of OUTCOMES) jobDuration.zero({ queue: name, outcome });
  const { cron, concurrency = 1 } = options;
  const retries = retriesOf(options);
  for (let i = 0; i < concurrency; i++) {
    const worker: string = await boss.work<object>(name, { pollingIntervalSeconds: WORKER_POLL_SECONDS }, async ([found]) => {
      if (!found) return;
      await dependencies;
      boss.notifyWorker(worker); // fetches the next job as soon as this one has ended, instead of at the next poll
      await perform(found);
    });
  }

  async function perform(found: FoundJob<object>): Promise<void> {
    const started = performance.now();
    let outcome: (typeof OUTCOMES)[number] = 'done';
    try {
      await inTrace(name, cron !== undefined, found.data ?? {}, work);
    } catch (error) {
      const isLast = found.retryCount >= retries;
      outcome = isLast ? 'dead' : 'failed';
      log[isLast ? 'error' : isExplained(error) ? 'debug' : 'warn'](
        { err: error, job: name, jobId: found.id, attempt: found.retryCount + 1 },
        isLast ? 'a job failed permanently' : 'a job failed; it will be retried',
      );
      // pg-boss stores the error, and a database error may quote personal data.
      throw new Error(`${(error as Error).name}, see the log`);
    } finally {
      jobDuration.observe({ queue: name, outcome }, (performance.now() - started) / 1000);
    }
  }
}

/**
 * Queues a run of a scheduled job, because pg-boss skips runs that were due while no process ran or while the clock was set forward. Several
 * processes that call this within `seconds` queue one job.
 */
const runOnce = (boss: PgBoss, name: string, seconds: number) => boss.send(name, {}, { singletonKey: 'start', singletonSeconds: seconds });

/** Runs a job in the trace in which it was queued; a scheduled job begins a new trace. */
function inTrace(queue: string, scheduled: boolean, queued: object & { traceparent?: string }, work: Job['work']): Promise<void> {
  const { traceparent, ...data } = queued;
  const name = `job ${queue}`;
  if (traceparent === undefined && scheduled) return inNewTrace(name, SpanKind.INTERNAL, () => work(data));
  return continueTrace(traceparent, name, SpanKind.CONSUMER, {}, () => work(data));
}

/** Lets pg-boss use the service's connections, with the driver's default type parsers, which it expects. */
function toBossDb(client: { query(query: pg.QueryConfig): Promise<unknown> }): BossDb {
  return {
    async executeSql(text, values) {
      const result = (await client.query({ text, ...(values && { values }), types })) as pg.QueryResult | pg.QueryResult[];
      return Array.isArray(result) ? { rows: result.flatMap(({ rows }) => rows) } : result;
    },
  };
}
