// Metrics of the connection pools, read when the metrics are scraped.
import type pg from 'pg';
import prom from 'prom-client';

const pools = new Map<pg.Pool, string>();

new prom.Gauge({
  name: 'clinic_db_connections',
  help: 'Connections to PostgreSQL by schema and state: busy, idle; waiting: requests for a connection',
  labelNames: ['schema', 'state'],
  collect() {
    this.reset();
    each((schema, { totalCount, idleCount, waitingCount }) => {
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
    each((schema, { options }) => this.inc({ schema }, options.max));
  },
});

/** Counts the pool until it ends. The pools of one schema are added up. */
export function watchPool(schema: string, pool: pg.Pool): void {
  each(() => {}); // removes the pools that have ended
  pools.set(pool, schema);
}

function each(read: (schema: string, pool: pg.Pool) => void): void {
  for (const [pool, schema] of pools) {
    if (pool.ended) pools.delete(pool);
    else read(schema, pool);
  }
}
