// Numbers without gaps: the row is locked until the transaction that took the number ends.
import { row, sql, type TenantTx } from '@clinic/lib/db/db.ts';

const nextStatement = sql<{ last: number }>(`
  insert into counters (clinic_id, kind, last) values ($1, $2, 1)
  on conflict (clinic_id, kind) do update set last = counters.last + 1
  returning last`);

/** The next number of this kind in the clinic, from 1. */
export async function takeNumber(tx: TenantTx, kind: 'quote' | 'receipt'): Promise<number> {
  const counter = await row(tx, nextStatement, [tx.clinicId, kind]);
  return (counter as { last: number }).last; // an upsert always returns its row
}
