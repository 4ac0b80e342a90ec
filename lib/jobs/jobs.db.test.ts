import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { DateTime } from 'luxon';
import pg from 'pg';
import pino from 'pino';
import { type Stoppable, stopAll } from '../background/stop.ts';
import { asSystem, closeDb, type Db, inTenant, openDb } from '../db/db.ts';
import { migrate } from '../db/migrate.ts';
import type { ServiceModule } from '../runtime/service.ts';
import { failedJobs } from '../telemetry/metrics.ts';
import { manualClock } from '../testing/clock.ts';
import { type TestDatabase, testDatabase } from '../testing/database.ts';
import { testService } from '../testing/service.ts';
import { waitFor } from '../testing/wait-for.ts';
import type { JobOptions } from './job-options.ts';
import { enqueue, type Job, job, startJobs } from './jobs.ts';

const log = pino({ level: 'silent' });
const CLINIC = '0198f3a0-0000-7000-8000-000000000001';
const source = { schema: 'messaging', migrations: path.join(import.meta.dirname, '../../services/messaging/migrations'), jobs: true };

let database: TestDatabase;
let db: Db;
let owner: pg.Pool;
const running: Stoppable[] = [];
const clock = manualClock(new Date());

beforeAll(async () => {
  database = await testDatabase();
  await migrate(database.ownerUrl, [source]);
  owner = new pg.Pool({ connectionString: database.ownerUrl, max: 2 });
  db = openDb(database.urls('messaging'), { schema: 'messaging', max: 5, log });
});

afterEach(() => stopAll(running));

afterAll(async () => {
  await closeDb(db);
  await owner.end();
  await database.drop();
});

async function start(...jobs: Job[]): Promise<void> {
  running.push(await startJobs(jobs, { db, clock, log }));
}

describe('a job', () => {
  test('runs only when its transaction commits', async () => {
    const done: unknown[] = [];
    await start(job<{ n: number }>('commit', {}, async ({ n }) => void done.push(n)));
    const undone = inTenant(db, CLINIC, async (tx) => {
      await enqueue(tx, 'commit', { n: 1 });
      throw new Error('changed my mind');
    });
    await expect(undone).rejects.toThrow('changed my mind');
    await inTenant(db, CLINIC, (tx) => enqueue(tx, 'commit', { n: 2 }));
    await asSystem(db, (tx) => enqueue(tx, 'commit', { n: 3 }));
    await waitFor(() => done.length === 2);
    expect(done).toEqual([2, 3]);
  });

  test('waits until the services that it calls are available', async () => {
    const available = Promise.withResolvers<void>();
    const done: string[] = [];
    const work = (name: string) => job(name, {}, async () => void done.push(name));
    running.push(await startJobs([work('calling')], { db, clock, log, dependencies: available.promise }));
    await inTenant(db, CLINIC, (tx) => enqueue(tx, 'calling', {}));
    await start(work('independent'));
    await inTenant(db, CLINIC, (tx) => enqueue(tx, 'independent', {}));
    await waitFor(() => done.length === 1);
    available.resolve();
    await waitFor(() => done.length === 2);
    expect(done).toEqual(['independent', 'calling']);
  });

  test('waits for its start time', async () => {
    const done: unknown[] = [];
    await start(job<{ n: number }>('later', {}, async ({ n }) => void done.push(n)));
    await inTenant(db, CLINIC, async (tx) => {
      await enqueue(tx, 'later', { n: 1 }, { startAfter: new Date(Date.now() + 3_600_000) });
      await enqueue(tx, 'later', { n: 2 });
    });
    await waitFor(() => done.length === 1);
    expect(done).toEqual([2]);
  });

  test('is retried when it fails', async () => {
    let attempts = 0;
    await start(
      job('flaky', { retries: 3 }, async () => {
        if (++attempts < 2) throw new Error('not yet');
      }),
    );
    await inTenant(db, CLINIC, (tx) => enqueue(tx, 'flaky', {}));
    await waitFor(async () => (await states('flaky')).includes('completed'));
    expect(attempts).toBe(2);
  });

  test('is refused when its queue does not exist, or when it lacks the key that its queue requires', async () => {
    await start(job('keyed', { fifoPerKey: true }, async () => {}));
    await expect(inTenant(db, CLINIC, (tx) => enqueue(tx, 'no-such-queue', {}))).rejects.toThrow('Queue no-such-queue does not exist');
    await expect(inTenant(db, CLINIC, (tx) => enqueue(tx, 'keyed', {}))).rejects.toThrow('require a singletonKey');
  });

  test('that failed permanently is stored without the message of its error', async () => {
    await start(
      job('broken', { retries: 0 }, async () => {
        throw Object.assign(new Error('Ana Pérez'), { detail: '+50370000000' });
      }),
    );
    await inTenant(db, CLINIC, (tx) => enqueue(tx, 'broken', {}));
    await waitFor(async () => (await states('broken')).includes('failed'));
    const [stored] = await asOwner("select output::text from messaging_jobs.job where name = 'broken'");
    expect(stored?.output).toContain('see the log');
    expect(stored?.output).not.toMatch(/Ana|5037/);
  });

  test('is deleted an hour after it was completed, and stays and is counted when it failed permanently', async () => {
    const jobs = [
      job('done', {}, async () => {}),
      job('failing', { retries: 0 }, async () => {
        throw new Error('never');
      }),
    ];
    await start(...jobs);
    for (const { name } of jobs) await inTenant(db, CLINIC, (tx) => enqueue(tx, name, {}));
    await waitFor(async () => (await states('done')).includes('completed') && (await states('failing')).includes('failed'));
    await stopAll(running);
    await asOwner(`update messaging_jobs.job set completed_on = now() - interval '2 hours' where name in ('done', 'failing')`);
    await start(...jobs);
    await waitFor(async () => (await states('done')).length === 0);
    const counted = async (queue: string) => (await failedJobs.get()).values.find(({ labels }) => labels.queue === queue)?.value;
    await waitFor(async () => expect([await counted('done'), await counted('failing')]).toEqual([0, 1]));
    const [failed] = await asOwner(
      `select deletion_seconds as seconds, keep_until > now() + interval '300 days' as waits from messaging_jobs.job where name = 'failing'`,
    );
    expect(failed).toEqual({ seconds: 0, waits: true });
  });

  test('runs right after the previous job, without waiting for the poll', async () => {
    const done: unknown[] = [];
    await start(job<{ n: number }>('many', {}, async ({ n }) => void done.push(n)));
    await inTenant(db, CLINIC, async (tx) => {
      for (let n = 0; n < 100; n++) await enqueue(tx, 'many', { n });
    });
    await waitFor(() => done.length === 100);
  });

  test('with a key keeps its order across retries and does not delay other keys', async () => {
    const done: string[] = [];
    let failures = 1;
    await start(
      job<{ name: string }>('fifo', { fifoPerKey: true, concurrency: 2 }, async ({ name }) => {
        if (name === 'a1' && failures-- > 0) throw new Error('not yet');
        done.push(name);
      }),
    );
    for (const name of ['a1', 'a2', 'b1', 'a3']) await inTenant(db, CLINIC, (tx) => enqueue(tx, 'fifo', { name }, { key: name.charAt(0) }));
    await waitFor(() => done.length === 4, 20_000);
    expect(done.filter((name) => name.startsWith('a'))).toEqual(['a1', 'a2', 'a3']);
    expect(done.indexOf('b1')).toBeLessThan(done.indexOf('a1'));
  });

  test('of a killed worker runs on another one within 30 s, whether it was queued, with or without a key, scheduled or daily', async () => {
    const options: Record<string, JobOptions> = {
      'lost-queued': {},
      'lost-keyed': { fifoPerKey: true },
      'lost-scheduled': { cron: '* * * * *', retries: 0 },
      'lost-daily': { daily: { at: '00:00', timezone: 'UTC' } },
    };
    const names = Object.keys(options);
    const program = path.join(import.meta.dirname, '../testing/jobs-worker.ts');
    const worker = spawn(process.execPath, [program, database.ownerUrl, JSON.stringify(options)], { stdio: ['ignore', 'pipe', 'inherit'] });
    let output = '';
    worker.stdout.on('data', (part) => {
      output += part;
    });
    const queues = () => asOwner('select name from messaging_jobs.queue where name = any($1)', [names]);
    await waitFor(async () => (await queues()).length === names.length);
    await inTenant(db, CLINIC, async (tx) => {
      await enqueue(tx, 'lost-queued', {});
      await enqueue(tx, 'lost-keyed', {}, { key: 'a' });
    });
    await waitFor(() => names.every((name) => output.includes(`${name}\n`)));
    worker.kill('SIGKILL');
    await once(worker, 'exit');
    const killed = performance.now();
    const taken = new Set<string>();
    await start(...names.map((name) => job(name, options[name] as JobOptions, async () => void taken.add(name))));
    await waitFor(() => expect([...taken].toSorted()).toEqual(names.toSorted()), 30_000);
    expect(performance.now() - killed).toBeLessThan(30_000);
  });
});

test('each scheduled job has one stored schedule, which is removed with the job', async () => {
  const nightly = (options: JobOptions) => job('nightly', options, async () => {});
  await start(nightly({ cron: '0 3 * * *' }));
  const schedules = () => asOwner('select name, cron from messaging_jobs.schedule');
  expect(await schedules()).toEqual([{ name: 'nightly', cron: '0 3 * * *' }]);
  await stopAll(running);
  await start(
    nightly({}),
    job('other', { daily: { at: '02:05', timezone: 'America/El_Salvador' } }, async () => {}),
  );
  expect(await schedules()).toEqual([{ name: 'other', cron: '5 * * * *' }]);
});

test('a start updates a queue and a schedule whose options changed, and otherwise writes neither', async () => {
  const options = { cron: '0 3 * * *', retries: 4 };
  const stored = () =>
    asSystem(db, async ({ client }) => {
      const { rows } = await client.query(`
        select q.retry_limit, q.expire_seconds, s.cron, q.updated_on as queue_updated, s.updated_on as schedule_updated
        from messaging_jobs.queue q join messaging_jobs.schedule s using (name) where name = 'changing'`);
      return rows[0];
    });
  const startWith = async (changed: JobOptions) => {
    await start(job('changing', changed, async () => {}));
    await stopAll(running);
    return stored();
  };
  const first = await startWith(options);
  expect(first).toMatchObject({ retry_limit: 4, expire_seconds: 300, cron: '0 3 * * *' });
  expect(await startWith(options)).toEqual(first);
  expect(await startWith({ cron: '0 4 * * *', retries: 5, limitSeconds: 60 })).toMatchObject({ retry_limit: 5, expire_seconds: 60, cron: '0 4 * * *' });
});

test('a scheduled job also runs when a process starts', async () => {
  let runs = 0;
  await start(job('yearly', { cron: '59 23 31 12 *' }, async () => void runs++));
  await waitFor(() => runs === 1);
});

test('a run that pg-boss has queued begins at the next poll, although pg-boss itself reads its queue only every 45 seconds', async () => {
  let runs = 0;
  await start(job('ticking', { cron: '0 0 29 2 *' }, async () => void runs++));
  await waitFor(() => runs === 1);
  await owner.query(`insert into messaging_jobs.job (name, data) values ('__pgboss__send-it', '{"name": "ticking"}')`);
  await waitFor(() => runs === 2, 20_000);
});

test('a service starts although PostgreSQL does not respond at first while its jobs are started', async () => {
  let runs = 0;
  const yearly = job('yearly-too', { cron: '59 23 31 12 *' }, async () => void runs++);
  const create = () => ({ implementations: [], consumers: [], jobs: [yearly], loops: [] });
  const module: ServiceModule = { name: 'messaging', migrations: source.migrations, settings: {}, dependencies: [], personal: { tables: [] } as never, create };
  const query = pg.Pool.prototype.query as (...args: unknown[]) => unknown;
  let attempts = 0;
  const pool = jest.spyOn(pg.Pool.prototype, 'query').mockImplementation(function (this: pg.Pool, ...args: unknown[]) {
    const isFirstOfStart = /to_regclass.*messaging_jobs/.test((args[0] as { text?: string }).text ?? '');
    return isFirstOfStart && attempts++ === 0 ? Promise.reject(new Error('Connection terminated due to connection timeout')) : query.apply(this, args);
  } as never);
  try {
    running.push(await testService(module, { database }));
    expect(attempts).toBeGreaterThan(1);
    await waitFor(() => runs === 1);
  } finally {
    pool.mockRestore();
  }
});

describe('after the clock was set back', () => {
  test('jobs that were queued, retried, running or scheduled under the former clock run at once', async () => {
    const runs: string[] = [];
    const jobs = [
      job('stepped', { cron: '0 0 1 1 *' }, async () => void runs.push('scheduled')),
      job<{ n: string }>('queued', {}, async ({ n }) => void runs.push(n)),
    ];
    await start(...jobs);
    await waitFor(() => runs.length === 1);
    await stopAll(running);
    await asSystem(db, async (tx) => {
      for (const n of ['first', 'second', 'later', 'tried', 'taken']) await enqueue(tx, 'queued', { n });
    });
    const shift = (update: string) => asOwner(`update messaging_jobs.${update}`);
    await shift("version set cron_on = now() + interval '3 hours'");
    await shift("queue set monitor_claim_on = now() + interval '3 hours', monitor_on = now() + interval '3 hours', maintain_on = now() + interval '3 hours'");
    await shift(`job set created_on = now() + interval '3 hours' + case data->>'n' when 'first' then '0 s' else '1 s' end::interval,
      start_after = now() + interval '3 hours' + case data->>'n' when 'later' then '1 hour' else '0 s' end::interval where name = 'queued'`);
    await shift("job set state = 'retry', retry_count = 1, started_on = now() + interval '3 hours' where data->>'n' = 'tried'");
    await shift(`job set state = 'active', started_on = now() + interval '3 hours', heartbeat_on = now() + interval '3 hours', heartbeat_seconds = 1
      where data->>'n' = 'taken'`);
    await shift("job set singleton_on = singleton_on + interval '3 hours'");
    const before = runs.length;

    await start(...jobs);
    await waitFor(() => runs.length === before + 5, 30_000); // a dead worker is noticed after its heartbeat
    expect(runs.filter((name) => name === 'first' || name === 'second')).toEqual(['first', 'second']);
    expect(runs.slice(before).toSorted()).toEqual(['first', 'scheduled', 'second', 'taken', 'tried']);
    const [late] = await asOwner("select extract(epoch from start_after - now())::int as seconds from messaging_jobs.job where data->>'n' = 'later'");
    expect(late?.seconds).toBeGreaterThan(3_400);
    const [left] = await asOwner(`select count(*)::int as count from messaging_jobs.job j, messaging_jobs.version v, messaging_jobs.queue q
      where greatest(v.cron_on, q.monitor_on, q.maintain_on, j.created_on, j.singleton_on at time zone 'UTC') > now()`);
    expect(left).toEqual({ count: 0 });
  });
});

describe('a daily job', () => {
  const at = (local: string) => clock.set(DateTime.fromISO(local, { zone: 'America/El_Salvador' }).toJSDate());
  const daily = (name: string, work: () => Promise<void>) => job(name, { daily: { at: '02:00', timezone: 'America/El_Salvador' } }, work);
  const countHandled = async (name: string) => (await states(name)).filter((state) => state === 'completed').length;
  /** Queues the job, as the schedule does each hour, and waits until it was handled. */
  const runHourly = async (name: string) => {
    const before = await countHandled(name);
    await asSystem(db, (tx) => enqueue(tx, name, {}));
    await waitFor(async () => (await countHandled(name)) > before);
  };

  test('runs once a day, from its time on', async () => {
    const runs: Date[] = [];
    at('2026-06-02T02:00');
    await start(daily('each-day', async () => void runs.push(clock.now())));
    await waitFor(async () => (await countHandled('each-day')) === 1);
    for (const later of ['2026-06-02T03:00', '2026-06-03T01:59', '2026-06-03T02:00', '2026-06-03T23:00']) {
      at(later);
      await runHourly('each-day');
    }
    expect(runs.map((run) => run.toISOString())).toEqual(['2026-06-02T08:00:00.000Z', '2026-06-03T08:00:00.000Z']);
  });

  test('that was missed runs when a process starts, and once after an outage of several days', async () => {
    let runs = 0;
    const missed = daily('missed', async () => void runs++);
    at('2026-06-02T14:30');
    await start(missed);
    await waitFor(() => runs === 1);
    await stopAll(running);
    at('2026-06-09T23:10');
    await start(missed);
    await runHourly('missed');
    await runHourly('missed');
    expect(runs).toBe(2);
    at('2026-06-10T02:00');
    await runHourly('missed');
    expect(runs).toBe(3);
  });

  test('that failed runs again the same day', async () => {
    let attempts = 0;
    at('2026-06-02T02:00');
    const failing = daily('failing', async () => {
      if (++attempts === 1) throw new Error('the database is unavailable');
    });
    await start(failing);
    await waitFor(() => attempts === 2);
    await runHourly('failing');
    expect(attempts).toBe(2);
  });
});

test('migrating again changes nothing, and the request role may not change the schema', async () => {
  expect(await migrate(database.ownerUrl, [source])).toEqual([]);
  await expect(db.pool.query('alter table messaging_jobs.queue add column x int')).rejects.toThrow('must be owner');
});

const states = async (name: string) => (await asOwner('select state::text from messaging_jobs.job where name = $1', [name])).map(({ state }) => state);

async function asOwner(text: string, values: unknown[] = []): Promise<Record<string, unknown>[]> {
  return (await owner.query(text, values)).rows;
}
