// Document numbers without gaps: the counter's row stays locked until the transaction that took a number ends.
import { row, sql, type TenantTx } from '@clinic/lib/db/db.ts';

/** SQL that takes the next number of a kind and returns it as `last`. Its arguments are expressions. */
export const nextNumber = (clinicId: string, kind: string) => `
  insert into counters (clinic_id, kind, last) values (${clinicId}, ${kind}, 1)
  on conflict (clinic_id, kind) do update set last = counters.last + 1
  returning last`;

const nextStatement = sql<{ last: number }>(nextNumber('$1', '$2'));

/** The clinic's next number of this kind, from 1. */
export async function takeNumber(tx: TenantTx, kind: 'quote'): Promise<number> {
  const counter = await row(tx, nextStatement, [tx.clinicId, kind]);
  return (counter as { last: number }).last; // an upsert always returns its row
}
