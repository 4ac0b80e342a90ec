// Database connections for tests that break at a chosen statement: before its batch is sent, or, at a commit, after it.
import { Batch } from '@clinic/lib/db/batch.ts';
import type { Db } from '@clinic/lib/db/db.ts';
import type pg from 'pg';

type Breakable = {
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
      const { connection } = client as unknown as { connection: Parameters<Batch['handleError']>[1] };
      let dead = false;
      const wrapped = (...args: unknown[]) => {
        const [given] = args;
        // The transaction is rolled back, as by the server; after that, the connection represents a new one.
        if (given === 'rollback') {
          dead = false;
          return query(...args);
        }
        const statements = given instanceof Batch ? given.statements : [given];
        const breaking = dead ? undefined : statements[left - 1];
        if (!dead && !breaking) {
          left = Math.max(0, left - statements.length);
          return query(...args);
        }
        left = 0;
        dead = true;
        broken = true;
        const lost = new Error('Connection terminated unexpectedly');
        if (!(given instanceof Batch)) return Promise.reject(lost);
        // A commit is executed and its response lost; other batches are not sent.
        const isCommit = (breaking as { text?: string } | undefined)?.text === 'commit';
        for (const statement of isCommit ? given.statements : []) {
          const { done } = statement;
          statement.done = () => done(lost);
        }
        return isCommit ? query(given) : given.handleError(lost, connection);
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
