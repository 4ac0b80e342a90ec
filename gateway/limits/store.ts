// Stores the counts in PostgreSQL, shared by all replicas of the gateway. While it is unavailable each replica counts for itself, so that a
// limit never causes an outage.
import { setImmediate } from 'node:timers/promises';
import { watchClock } from '@clinic/lib/clock/clock-watch.ts';
import { watchPool } from '@clinic/lib/db/pool-use.ts';
import type { Log } from '@clinic/lib/telemetry/log.ts';
import { type Outage, watchOutage } from '@clinic/lib/telemetry/outages.ts';
import pg from 'pg';
import { type RateLimiterAbstract, RateLimiterMemory, RateLimiterPostgres } from 'rate-limiter-flexible';

/** `count` requests in `seconds`. */
export type Limit = { count: number; seconds: number };

export type LimitStore = {
  /** The counter of a rate group. With `block`, a client that has used it up is refused from memory until the window ends. */
  counter(group: string, limit: Limit, block: boolean): RateLimiterAbstract;
  /** The names of the migrations that the schema has. */
  appliedMigrations(): Promise<string[]>;
  stop(): Promise<void>;
};

/** After a failure the store is not queried for this long, so that requests do not each wait for a timeout. */
const PAUSE_MS = 2_000;

/** A statement, or a connection, that takes longer than `countMs` fails. */
export function openLimitStore(url: string, log: Log, countMs: number): LimitStore {
  const pool = new pg.Pool({
    connectionString: url,
    max: 4,
    connectionTimeoutMillis: countMs,
    idleTimeoutMillis: 30_000,
    // Losing counts in a crash is acceptable, so no request waits for the disk.
    options: `-c search_path=gateway -c statement_timeout=${countMs} -c synchronous_commit=off`,
    query_timeout: 1.5 * countMs, // the server did not stop the statement
    application_name: 'clinic-gateway',
  });
  const outage = watchOutage(log, 'rate limit store', new URL(url).host, 'this process counts requests in memory');
  pool.on('error', outage.failed);
  watchPool('gateway', pool, pool.options.max);
  const client = withPauses(pool, outage);
  const counters: RateLimiterPostgres[] = [];
  const watch = watchClock({ log, onStep: forgetFuture, first: true });
  return {
    counter(group, limit, block) {
      const options = { keyPrefix: group, points: limit.count, duration: limit.seconds };
      const counter = new RateLimiterPostgres({
        ...options,
        ...(block && { inMemoryBlockOnConsumed: limit.count + 1 }),
        storeClient: client,
        storeType: 'client',
        tableName: 'rate_limits',
        tableCreated: true,
        clearExpiredByTimeout: counters.length === 0, // one counter deletes the expired rows of all
        insuranceLimiter: new RateLimiterMemory(options),
      });
      counters.push(counter);
      return counter;
    },
    async appliedMigrations() {
      return (await pool.query<{ name: string }>('select name from migrations')).rows.map(({ name }) => name);
    },
    async stop() {
      await watch.stop();
      await pool.end();
    },
  };

  /** Deletes windows that end later than one that begins now would: they began before the clock was set back. */
  async function forgetFuture(): Promise<void> {
    for (const counter of counters) {
      const latest = Date.now() + counter.duration * 1000;
      await pool.query('delete from rate_limits where starts_with(key, $1) and expire > $2', [`${counter.keyPrefix}:`, latest]);
    }
    // A request that was counted before the deletion may still refuse its client from memory.
    await client.idle();
    for (const counter of counters) counter.deleteInMemoryBlockedAll();
  }
}

function withPauses(pool: pg.Pool, outage: Outage) {
  let retryAt = 0;
  const running = new Set<Promise<unknown>>();
  async function query(statement: pg.QueryConfig) {
    if (performance.now() < retryAt) throw new Error('the rate limit store is unavailable');
    try {
      const result = await pool.query(statement);
      outage.succeeded();
      return result;
    } catch (error) {
      retryAt = performance.now() + PAUSE_MS;
      outage.failed(error);
      throw error;
    }
  }
  return {
    query(statement: pg.QueryConfig) {
      const result = query(statement);
      running.add(result);
      const end = () => running.delete(result);
      result.then(end, end);
      return result;
    },
    /** Resolves when the queries that are running now have ended and their results have been used. */
    async idle() {
      await Promise.allSettled(running);
      await setImmediate();
    },
  };
}
