// Tokens that a clinic has used on a day of its zone.
import { execute, row, sql, type TenantTx } from '@clinic/lib/db/db.ts';

const reserveStatement = sql(`
  insert into assistant_usage as used (clinic_id, day, tokens) values ($1, $2, $3)
  on conflict (clinic_id, day) do update set tokens = used.tokens + excluded.tokens where used.tokens + excluded.tokens <= $4`);

/** Takes tokens from the day's budget. False, and nothing taken, when there are not as many left. */
export async function reserveTokens(tx: TenantTx, day: string, tokens: number, limit: number): Promise<boolean> {
  return tokens <= limit && (await execute(tx, reserveStatement, [tx.clinicId, day, tokens, limit])) > 0;
}

const correctStatement = sql('update assistant_usage set tokens = greatest(0, tokens + $3) where clinic_id = $1 and day = $2');

/** Gives back what was reserved and not used, or takes what was used beyond it. */
export async function correctTokens(tx: TenantTx, day: string, difference: number): Promise<void> {
  await execute(tx, correctStatement, [tx.clinicId, day, difference]);
}

const usedStatement = sql<{ tokens: number }>('select tokens from assistant_usage where clinic_id = $1 and day = $2');

export async function usedTokens(tx: TenantTx, day: string): Promise<number> {
  return (await row(tx, usedStatement, [tx.clinicId, day]))?.tokens ?? 0;
}
