// Stores the counts in PostgreSQL, shared by all replicas of the gateway. While it is unavailable each replica counts for itself, so that a
// limit never causes an outage.
import type { Log } from '@clinic/lib/telemetry/log.ts';
import pg from 'pg';
import { type RateLimiterAbstract, RateLimiterMemory, RateLimiterPostgres } from 'rate-limiter-flexible';

/** `count` requests in `seconds`. */
export type Limit = { count: number; seconds: number };

export type LimitStore = {
  /** The counter of a rate group. With `block`, a client that has used it up is refused from memory until the window ends. */
  counter(group: string, limit: Limit, block: boolean): RateLimiterAbstract;
  stop(): Promise<void>;
};

/** After a failure the store is not queried for this long, so that requests do not each wait for a timeout. */
const PAUSE_MS = 2_000;

export function openLimitStore(url: string, log: Log): LimitStore {
  const pool = new pg.Pool({
    connectionString: url,
    max: 4,
    connectionTimeoutMillis: 1_000,
    idleTimeoutMillis: 30_000,
    // Losing counts in a crash is acceptable, so no request waits for the disk.
    options: '-c search_path=gateway -c statement_timeout=1s -c synchronous_commit=off',
    query_timeout: 1_500,
    application_name: 'clinic-gateway',
  });
  pool.on('error', (err) => log.warn({ err }, 'idle connection of the rate limit store lost'));
  const client = withPauses(pool, log);
  let cleaned = false; // one counter deletes the expired rows of all
  return {
    counter(group, limit, block) {
      const options = { keyPrefix: group, points: limit.count, duration: limit.seconds };
      const clearExpiredByTimeout = !cleaned;
      cleaned = true;
      return new RateLimiterPostgres({
        ...options,
        ...(block && { inMemoryBlockOnConsumed: limit.count + 1 }),
        storeClient: client,
        storeType: 'client',
        tableName: 'rate_limits',
        tableCreated: true,
        clearExpiredByTimeout,
        insuranceLimiter: new RateLimiterMemory(options),
      });
    },
    stop: () => pool.end(),
  };
}

function withPauses(pool: pg.Pool, log: Log) {
  let retryAt = 0;
  return {
    async query(statement: pg.QueryConfig) {
      if (Date.now() < retryAt) throw new Error('the rate limit store is unavailable');
      try {
        return await pool.query(statement);
      } catch (error) {
        retryAt = Date.now() + PAUSE_MS;
        log.warn({ err: error }, 'rate limit store is unavailable; this process counts requests in memory');
        throw error;
      }
    },
  };
}
