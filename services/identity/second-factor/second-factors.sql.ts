// Second factors and their recovery codes.
import { type Db, execute, readTenant, row, sql, type TenantTx } from '@clinic/lib/db/db.ts';
import type { Guesses } from '../credentials/guess-rules.ts';

export type FactorRow = Guesses & { secret_sealed: Buffer; confirmed_at: Date | null; last_step: number };

const insertStatement = sql(`
  insert into second_factors as s (clinic_id, user_id, secret_sealed, created_at) values ($1, $2, $3, $4)
  on conflict (clinic_id, user_id) do update set secret_sealed = excluded.secret_sealed, created_at = excluded.created_at, last_step = 0
  where s.confirmed_at is null`);

/** False if the user has a confirmed factor. One that was never confirmed is replaced. */
export const insertFactor = async (tx: TenantTx, userId: string, secret: Buffer, now: Date) =>
  (await execute(tx, insertStatement, [tx.clinicId, userId, secret, now])) === 1;

const lockStatement = sql<FactorRow>(`
  select secret_sealed, confirmed_at, last_step::float8 as last_step, attempts, locks, locked_until as "lockedUntil" from second_factors
  where clinic_id = $1 and user_id = $2 for update`);

export const lockFactor = (tx: TenantTx, userId: string) => row(tx, lockStatement, [tx.clinicId, userId]);

const updateStatement = sql(`
  update second_factors set confirmed_at = $3, last_step = $4, attempts = $5, locks = $6, locked_until = $7 where clinic_id = $1 and user_id = $2`);

export async function updateFactor(tx: TenantTx, userId: string, factor: Omit<FactorRow, 'secret_sealed'>): Promise<void> {
  const { confirmed_at, last_step, attempts, locks, lockedUntil } = factor;
  await execute(tx, updateStatement, [tx.clinicId, userId, confirmed_at, last_step, attempts, locks, lockedUntil]);
}

const deleteStatement = sql('delete from second_factors where clinic_id = $1 and user_id = $2');

/** Deletes the recovery codes too. False if the user has no factor. */
export const deleteFactor = async (tx: TenantTx, userId: string) => (await execute(tx, deleteStatement, [tx.clinicId, userId])) === 1;

const insertCodesStatement = sql('insert into recovery_codes (clinic_id, user_id, code_hash) select $1, $2, unnest($3::bytea[])');

export const insertRecoveryCodes = (tx: TenantTx, userId: string, hashes: Buffer[]) => execute(tx, insertCodesStatement, [tx.clinicId, userId, hashes]);

const useCodeStatement = sql('delete from recovery_codes where clinic_id = $1 and user_id = $2 and code_hash = $3');

/** False if there is no such code. */
export const useRecoveryCode = async (tx: TenantTx, userId: string, hash: Buffer) => (await execute(tx, useCodeStatement, [tx.clinicId, userId, hash])) === 1;

const isOnStatement = sql<{ on: boolean }>(`
  select exists (select from second_factors where clinic_id = $1 and user_id = $2 and confirmed_at is not null) as on`);

export const hasFactor = async (db: Db, clinicId: string, userId: string) =>
  (await readTenant(db, clinicId, isOnStatement, [clinicId, userId]))[0]?.on === true;

/** Encryption context of the secret. */
export const secretContext = (clinicId: string, userId: string) => `${clinicId}/second_factors/${userId}/secret`;
