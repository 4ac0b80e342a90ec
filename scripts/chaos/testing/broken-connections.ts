// Database connections for tests that break at a chosen statement: before the statement, or, at a commit, after it.
import type { Db } from '@clinic/lib/db/db.ts';
import pg from 'pg';

export type Breakable = {
  /** Breaks a connection at the `at`-th statement from now on, counted from 1; never when it is 0. */
  breakAt(at: number): void;
  /** Whether a connection broke since breakAt(). */
  broke(): boolean;
};

export function breakable(db: Db): Breakable {
  let left = 0;
  let broken = false;
  for (const pool of [db.pool, db.systemPool]) {
    pool.on('connect', (client) => {
      const query = client.query.bind(client) as (...args: unknown[]) => Promise<unknown>;
      let dead = false;
      const wrapped = (...args: unknown[]) => {
        const [statement] = args;
        // The transaction is rolled back, as by the server; after that, the connection represents a new one.
        if (statement === 'rollback') dead = false;
        const breaks = !dead && left > 0 && statement !== 'rollback' && --left === 0;
        if (!dead && !breaks) return query(...args);
        dead = true;
        broken = true;
        const lost = new Error('Connection terminated unexpectedly');
        // A query passed as an object reports through its callback.
        if (statement instanceof pg.Query) return (statement as unknown as { callback(error: Error): void }).callback(lost);
        // A commit is executed and its response lost; other statements are not sent.
        return (breaks && statement === 'commit' ? query(...args) : Promise.resolve()).then(() => Promise.reject(lost));
      };
      client.query = wrapped as unknown as pg.PoolClient['query'];
    });
  }
  return {
    breakAt(at) {
      left = at;
      broken = false;
    },
    broke: () => broken,
  };
}
