// Wrong passwords by the blind index of a name (guess-throttle.ts). All statements run as the system: an e-mail address belongs to no clinic.
import { execute, getRow, type SystemTx, sql } from '@clinic/lib/db/db.ts';
import type { Guesses } from './guess-rules.ts';

// The row stays locked until the transaction ends, so that concurrent guesses are counted one after the other.
const lockStatement = sql<Guesses>(`
  insert into sign_in_throttles as t (email_index, updated_at) values ($1, $2)
  on conflict (email_index) do update set updated_at = excluded.updated_at
  returning t.attempts, t.locks, t.locked_until as "lockedUntil"`);

export const lockThrottle = (tx: SystemTx, emailIndex: Buffer, now: Date) => getRow(tx, lockStatement, [emailIndex, now]);

const countStatement = sql('update sign_in_throttles set attempts = $2, locks = $3, locked_until = $4 where email_index = $1');

export const setThrottle = (tx: SystemTx, emailIndex: Buffer, { attempts, locks, lockedUntil }: Guesses) =>
  execute(tx, countStatement, [emailIndex, attempts, locks, lockedUntil]);

const forgetStatement = sql('delete from sign_in_throttles where email_index = $1');

export const forgetThrottle = (tx: SystemTx, emailIndex: Buffer) => execute(tx, forgetStatement, [emailIndex]);

const purgeStatement = sql('delete from sign_in_throttles where updated_at < $1');

export const purgeThrottles = (tx: SystemTx, before: Date) => execute(tx, purgeStatement, [before]);
