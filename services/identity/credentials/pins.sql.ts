// PINs. An attempt is counted before the PIN is verified, so that concurrent attempts are limited too.
import { execute, row, sql, type TenantTx } from '@clinic/lib/db/db.ts';

const setStatement = sql(`
  update users set pin_hash = $3, pin_attempts = 0, pin_locked_until = null, updated_at = $4 where clinic_id = $1 and id = $2`);

/** Sets the PIN and unlocks it. */
export async function setPin(tx: TenantTx, userId: string, pinHash: string, now: Date): Promise<void> {
  await execute(tx, setStatement, [tx.clinicId, userId, pinHash, now]);
}

const removeStatement = sql(`
  update users set pin_hash = null, pin_attempts = 0, pin_locked_until = null, updated_at = $3 where clinic_id = $1 and id = $2 and pin_hash is not null`);

/** False if the user has no PIN. */
export async function removePin(tx: TenantTx, userId: string, now: Date): Promise<boolean> {
  return (await execute(tx, removeStatement, [tx.clinicId, userId, now])) === 1;
}

export type PinRow = { pin_hash: string | null; pin_attempts: number; pin_locked_until: Date | null; is_active: boolean };

const lockStatement = sql<PinRow>(`
  select pin_hash, pin_attempts, pin_locked_until, is_active from users where clinic_id = $1 and id = $2 for no key update`);

export function lockPin(tx: TenantTx, userId: string): Promise<PinRow | undefined> {
  return row(tx, lockStatement, [tx.clinicId, userId]);
}

const countStatement = sql('update users set pin_attempts = $3, pin_locked_until = $4 where clinic_id = $1 and id = $2');

export async function countAttempts(tx: TenantTx, userId: string, attempts: number, lockedUntil: Date | null): Promise<void> {
  await execute(tx, countStatement, [tx.clinicId, userId, attempts, lockedUntil]);
}
