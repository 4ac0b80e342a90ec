// Locks of appointments that are taken before other locks, although appointments can be added until the other locks are taken.
import { execute, sql, type Tx } from '@clinic/lib/db/db.ts';

const savepoint = sql('savepoint locks');
const release = sql('rollback to savepoint locks');

/**
 * Calls `lock` until it returns true: that all rows were locked. Before it is called again the locks that it took are released, because locking the rest
 * now would be out of order, and could deadlock with a transaction that has locked the rest and waits for the others.
 */
export async function lockComplete(tx: Tx, lock: () => Promise<boolean>): Promise<void> {
  await execute(tx, savepoint);
  while (!(await lock())) await execute(tx, release);
}
