// Session families: one sign-in and the refresh tokens that follow from it.
import { row, run, type SystemTx, sql, type TenantTx } from '@clinic/lib/db.ts';
import { ACCOUNT_COLUMNS, type AccountRow } from './accounts.ts';

export type FamilyRow = AccountRow & { family_id: string; expires_at: Date; ended_at: Date | null };

const insertStatement = sql(`insert into session_families (clinic_id, id, user_id, created_at, expires_at) values ($1, $2, $3, $4, $5)`);

export async function insertFamily(tx: TenantTx, family: { id: string; user_id: string; expires_at: Date }, now: Date): Promise<void> {
  await run(tx, insertStatement, [tx.clinicId, family.id, family.user_id, now, family.expires_at]);
}

const lockStatement = sql<FamilyRow>(`
  select ${ACCOUNT_COLUMNS}, f.id as family_id, f.expires_at, f.ended_at
  from session_families f join users u on u.clinic_id = f.clinic_id and u.id = f.user_id join clinics c on c.clinic_id = f.clinic_id
  where (f.clinic_id, f.id) = (select t.clinic_id, t.family_id from refresh_tokens t where t.token_hash = $1)
  for update of f`);

/** The family of a token with its user and clinic, locked: whoever comes second sees what the first one did. */
export function lockFamilyOf(tx: SystemTx, tokenHash: Buffer): Promise<FamilyRow | undefined> {
  return row(tx, lockStatement, [tokenHash]);
}

const endStatement = sql(`
  update session_families set ended_at = $2, end_reason = $3
  where ended_at is null and (clinic_id, id) = (select t.clinic_id, t.family_id from refresh_tokens t where t.token_hash = $1)`);

/** Ends the family of a token. Nothing happens when it has ended before or there is none. */
export async function endFamilyOf(tx: SystemTx, tokenHash: Buffer, reason: 'logout' | 'reuse' | 'user_inactive', now: Date): Promise<void> {
  await run(tx, endStatement, [tokenHash, now, reason]);
}

const purgeStatement = sql(`
  delete from session_families where (clinic_id, id) in (
    select clinic_id, id from session_families where expires_at < $1 or ended_at < $1 limit $2 for update skip locked)`);

/** Deletes up to `most` families that ended before an instant, with their tokens. Returns how many. */
export function purgeFamilies(tx: SystemTx, before: Date, most: number): Promise<number> {
  return run(tx, purgeStatement, [before, most]);
}
