// A database connection that breaks at a chosen statement, for tests: before the statement, or after a commit whose answer is lost.
import type { Db } from '@clinic/lib/db/db.ts';
import pg from 'pg';

export type Breakable = {
  /** A connection breaks at the `at`-th statement from now on, counted from 1; never when it is 0. */
  breakAt(at: number): void;
  /** Whether one broke since breakAt(). */
  broke(): boolean;
};

export function breakable(db: Db): Breakable {
  let left = 0;
  let broken = false;
  for (const pool of [db.pool, db.systemPool]) {
    pool.on('connect', (client) => {
      const query = client.query.bind(client) as (...given: unknown[]) => Promise<unknown>;
      let dead = false;
      const wrapped = (...given: unknown[]) => {
        const [statement] = given;
        // What was begun is rolled back, as the server does; after that the connection stands for a new one.
        if (statement === 'rollback') dead = false;
        const breaks = !dead && left > 0 && statement !== 'rollback' && --left === 0;
        if (!dead && !breaks) return query(...given);
        dead = true;
        broken = true;
        const lost = new Error('Connection terminated unexpectedly');
        // A query that is given as an object reports by its callback.
        if (statement instanceof pg.Query) return (statement as unknown as { callback(error: Error): void }).callback(lost);
        // The answer to a commit is lost; other statements are not sent.
        return (breaks && statement === 'commit' ? query(...given) : Promise.resolve()).then(() => Promise.reject(lost));
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
