// How many connections to PostgreSQL are busy, idle and waited for: looked at when somebody asks for the metrics.
import type pg from 'pg';
import prom from 'prom-client';

const pools = new Map<pg.Pool, string>();

new prom.Gauge({
  name: 'clinic_db_connections',
  help: 'Connections to PostgreSQL by schema and state: busy, idle; waiting are those who want one',
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
  help: 'Connections that may be open, by schema',
  labelNames: ['schema'],
  collect() {
    this.reset();
    each((schema, { options }) => this.inc({ schema }, options.max));
  },
});

/** Counts the pool until it ends. Several of one schema are added up. */
export function watchPool(schema: string, pool: pg.Pool): void {
  each(() => {}); // those that have ended meanwhile are forgotten
  pools.set(pool, schema);
}

function each(look: (schema: string, pool: pg.Pool) => void): void {
  for (const [pool, schema] of pools) {
    if (pool.ended) pools.delete(pool);
    else look(schema, pool);
  }
}
