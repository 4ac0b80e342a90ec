// The tokens that a clinic has used, by day in its zone.
import { execute, row, sql, type TenantTx } from '@clinic/lib/db/db.ts';

const reserveStatement = sql(`
  insert into assistant_usage as used (clinic_id, day, tokens) values ($1, $2, $3)
  on conflict (clinic_id, day) do update set tokens = used.tokens + excluded.tokens where used.tokens + excluded.tokens <= $4`);

/** Reserves tokens of the day's budget. False if there are not enough left. */
export async function reserveTokens(tx: TenantTx, day: string, tokens: number, limit: number): Promise<boolean> {
  return tokens <= limit && (await execute(tx, reserveStatement, [tx.clinicId, day, tokens, limit])) > 0;
}

const correctStatement = sql('update assistant_usage set tokens = greatest(0, tokens + $3) where clinic_id = $1 and day = $2');

/** Adds the difference between used and reserved tokens. */
export const correctTokens = (tx: TenantTx, day: string, difference: number) => execute(tx, correctStatement, [tx.clinicId, day, difference]);

const usedStatement = sql<{ tokens: number }>('select tokens from assistant_usage where clinic_id = $1 and day = $2');

export const countUsedTokens = async (tx: TenantTx, day: string) => (await row(tx, usedStatement, [tx.clinicId, day]))?.tokens ?? 0;
