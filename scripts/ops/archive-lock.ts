// A lock of the audit logs: verify-audit would report rows as missing that archive-audit moves into files meanwhile.
import { LOCK_KEY, tryLock, withClient } from '../database.ts';
import { type Ops, OpsFault, ownerConnection } from './command.ts';

const NAME = 'archive-audit';
const CONNECTION = ownerConnection('clinic-audit');

/** Runs the work while no other command archives or verifies the audit logs. Throws when one does. */
export function whileArchiving<T>(ops: Ops, work: () => Promise<T>): Promise<T> {
  return withClient(
    ops.url,
    async (client) => {
      if (!(await tryLock(client, NAME))) throw new OpsFault('Another archive-audit or a verify-audit is running: wait until it has ended.');
      return work();
    },
    CONNECTION,
  );
}

/** Runs the work while no command archives the audit logs; waits until one that does has ended. */
export function whileNotArchiving<T>(ops: Ops, work: () => Promise<T>): Promise<T> {
  return withClient(
    ops.url,
    async (client) => {
      const { rows } = await client.query<{ locked: boolean }>(`select pg_try_advisory_lock_shared(${LOCK_KEY}) as locked`, [NAME]);
      if (!rows[0]?.locked) {
        ops.print('waiting until archive-audit has ended');
        await client.query(`select pg_advisory_lock_shared(${LOCK_KEY})`, [NAME]);
      }
      return work();
    },
    CONNECTION,
  );
}
