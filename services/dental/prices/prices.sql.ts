// The price list of a clinic.
import { type Db, execute, readTenant, rows, sql, type TenantTx } from '@clinic/lib/db/db.ts';

export type PriceRow = { code: string; name: string; price_cents: bigint; updated_at: Date };

const listStatement = sql<PriceRow>('select code, name, price_cents, updated_at from prices where clinic_id = $1 order by code');

export const findPrices = (db: Db, clinicId: string) => readTenant(db, clinicId, listStatement, [clinicId]);

export const listPrices = (tx: TenantTx) => rows(tx, listStatement, [tx.clinicId]);

export type NewPrice = { code: string; name: string; price_cents: bigint };

// Serialises replacements by one clinic: two concurrent ones would leave rows of both lists.
const lockStatement = sql("select pg_advisory_xact_lock(hashtextextended('prices ' || $1::text, 0))");
const deleteStatement = sql('delete from prices where clinic_id = $1 and code <> all($2::text[])');
const upsertStatement = sql(`
  insert into prices as known (clinic_id, code, name, price_cents, updated_at)
  select $1, code, name, price_cents, $5 from unnest($2::text[], $3::text[], $4::bigint[]) as line (code, name, price_cents)
  on conflict (clinic_id, code) do update set name = excluded.name, price_cents = excluded.price_cents, updated_at = excluded.updated_at
  where (known.name, known.price_cents) is distinct from (excluded.name, excluded.price_cents)`);

/** Prices that do not change keep their updated_at. False when none changes. */
export async function replacePrices(tx: TenantTx, prices: NewPrice[], now: Date): Promise<boolean> {
  const column = <K extends keyof NewPrice>(key: K) => prices.map((price) => price[key]);
  const [, deleted, written] = await Promise.all([
    execute(tx, lockStatement, [tx.clinicId]),
    execute(tx, deleteStatement, [tx.clinicId, column('code')]),
    execute(tx, upsertStatement, [tx.clinicId, column('code'), column('name'), column('price_cents'), now]),
  ]);
  return deleted + written > 0;
}
