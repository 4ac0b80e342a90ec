// PINs. An attempt is counted before the PIN is verified, so that concurrent attempts are limited too.
import { execute, row, sql, type TenantTx } from '@clinic/lib/db/db.ts';
import type { Guesses } from './guess-rules.ts';

const setStatement = sql(`
  update users set pin_hash = $3, pin_attempts = 0, pin_locks = 0, pin_locked_until = null, updated_at = $4 where clinic_id = $1 and id = $2`);

/** Sets the PIN and unlocks it. */
export const setPin = (tx: TenantTx, userId: string, pinHash: string, now: Date) => execute(tx, setStatement, [tx.clinicId, userId, pinHash, now]);

const removeStatement = sql(`
  update users set pin_hash = null, pin_attempts = 0, pin_locks = 0, pin_locked_until = null, updated_at = $3 where clinic_id = $1 and id = $2 and pin_hash is not null`);

/** False if the user has no PIN. */
export const removePin = async (tx: TenantTx, userId: string, now: Date) => (await execute(tx, removeStatement, [tx.clinicId, userId, now])) === 1;

type PinRow = { pin_hash: string | null; attempts: number; locks: number; lockedUntil: Date | null };

const lockStatement = sql<PinRow>(`
  select pin_hash, pin_attempts as attempts, pin_locks as locks, pin_locked_until as "lockedUntil" from users where clinic_id = $1 and id = $2 for no key update`);

export const lockPin = (tx: TenantTx, userId: string) => row(tx, lockStatement, [tx.clinicId, userId]);

const countStatement = sql('update users set pin_attempts = $3, pin_locks = $4, pin_locked_until = $5 where clinic_id = $1 and id = $2');

export const setPinGuesses = (tx: TenantTx, userId: string, { attempts, locks, lockedUntil }: Guesses) =>
  execute(tx, countStatement, [tx.clinicId, userId, attempts, locks, lockedUntil]);
