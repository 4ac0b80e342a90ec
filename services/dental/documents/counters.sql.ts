// Document numbers without gaps: the counter's row stays locked until the transaction that took a number ends.
import { row, sql, type TenantTx } from '@clinic/lib/db/db.ts';

const nextStatement = sql<{ last: number }>(`
  insert into counters (clinic_id, kind, last) values ($1, $2, 1)
  on conflict (clinic_id, kind) do update set last = counters.last + 1
  returning last`);

/** The clinic's next number of this kind, from 1. */
export async function takeNumber(tx: TenantTx, kind: 'quote' | 'receipt'): Promise<number> {
  const counter = await row(tx, nextStatement, [tx.clinicId, kind]);
  return (counter as { last: number }).last; // an upsert always returns its row
}
