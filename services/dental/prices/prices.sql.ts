// The clinic's price list.
import { execute, rows, sql, type TenantTx } from '@clinic/lib/db/db.ts';

export type PriceRow = { code: string; name: string; price_cents: bigint; updated_at: Date };

/** $1 clinic. */
export const listPricesStatement = sql<PriceRow>('select code, name, price_cents, updated_at from prices where clinic_id = $1 order by code');

export function listPrices(tx: TenantTx): Promise<PriceRow[]> {
  return rows(tx, listPricesStatement, [tx.clinicId]);
}

export type NewPrice = { code: string; name: string; price_cents: bigint };

// Replacements queue here, since two that mixed would leave lines of both.
const lockStatement = sql("select pg_advisory_xact_lock(hashtextextended('prices ' || $1::text, 0))");
const deleteStatement = sql('delete from prices where clinic_id = $1 and code <> all($2::text[])');
const upsertStatement = sql(`
  insert into prices as known (clinic_id, code, name, price_cents, updated_at)
  select $1, code, name, price_cents, $5 from unnest($2::text[], $3::text[], $4::bigint[]) as line (code, name, price_cents)
  on conflict (clinic_id, code) do update set name = excluded.name, price_cents = excluded.price_cents, updated_at = excluded.updated_at
  where (known.name, known.price_cents) is distinct from (excluded.name, excluded.price_cents)`);

/** Lines that stay as they are keep their date. */
export async function replacePrices(tx: TenantTx, prices: NewPrice[], now: Date): Promise<void> {
  const column = <K extends keyof NewPrice>(key: K) => prices.map((price) => price[key]);
  await Promise.all([
    execute(tx, lockStatement, [tx.clinicId]),
    execute(tx, deleteStatement, [tx.clinicId, column('code')]),
    execute(tx, upsertStatement, [tx.clinicId, column('code'), column('name'), column('price_cents'), now]),
  ]);
}
