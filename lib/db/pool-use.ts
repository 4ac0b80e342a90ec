// Metrics of the connection pools, read when the metrics are scraped.
import type pg from 'pg';
import prom from 'prom-client';

const pools = new Map<pg.Pool, { schema: string; max: number }>();

new prom.Gauge({
  name: 'clinic_db_connections',
  help: 'Connections to PostgreSQL by schema and state: busy, idle; waiting: requests for a connection',
  labelNames: ['schema', 'state'],
  collect() {
    this.reset();
    each(({ schema }, { totalCount, idleCount, waitingCount }) => {
      this.inc({ schema, state: 'busy' }, totalCount - idleCount);
      this.inc({ schema, state: 'idle' }, idleCount);
      this.inc({ schema, state: 'waiting' }, waitingCount);
    });
  },
});
new prom.Gauge({
  name: 'clinic_db_connections_max',
  help: 'Maximum number of connections, by schema',
  labelNames: ['schema'],
  collect() {
    this.reset();
    each(({ schema, max }) => this.inc({ schema }, max));
  },
});

/** Includes the pool in the metrics until it ends. The pools of one schema are added up. */
export function watchPool(schema: string, pool: pg.Pool, max: number): void {
  each(() => {}); // removes the pools that have ended
  pools.set(pool, { schema, max });
}

function each(read: (watched: { schema: string; max: number }, pool: pg.Pool) => void): void {
  for (const [pool, watched] of pools) {
    if (pool.ended) pools.delete(pool);
    else read(watched, pool);
  }
}
