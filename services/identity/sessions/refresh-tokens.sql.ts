// Refresh tokens, stored as hashes. A used one is retained as long as its family, so that a second use is detected.
import { execute, row, type SystemTx, sql, type Tx } from '@clinic/lib/db/db.ts';

const insertStatement = sql(`insert into refresh_tokens (clinic_id, family_id, token_hash, created_at) values ($1, $2, $3, $4)`);

export const insertRefreshToken = (tx: Tx, token: { clinic_id: string; family_id: string; hash: Buffer }, now: Date) =>
  execute(tx, insertStatement, [token.clinic_id, token.family_id, token.hash, now]);

type RefreshTokenRow = { rotated_at: Date | null; successor_rotated_at: Date | null; successor_sealed: Buffer | null };

const findStatement = sql<RefreshTokenRow>(`
  select t.rotated_at, s.rotated_at as successor_rotated_at, t.successor_sealed
  from refresh_tokens t left join refresh_tokens s on s.token_hash = t.successor_hash
  where t.token_hash = $1`);

export const findRefreshToken = (tx: SystemTx, hash: Buffer) => row(tx, findStatement, [hash]);

const rotateStatement = sql(`update refresh_tokens set rotated_at = $2, successor_hash = $3, successor_sealed = $4 where token_hash = $1`);

export const rotateRefreshToken = (tx: SystemTx, hash: Buffer, successor: { hash: Buffer; ciphertext: Buffer }, now: Date) =>
  execute(tx, rotateStatement, [hash, now, successor.hash, successor.ciphertext]);

/** Encryption context of the successor: it can be decrypted only with its own row. */
export const successorContext = (clinicId: string, tokenHash: Buffer) => `${clinicId}:refresh_tokens:${tokenHash.toString('hex')}:successor`;
