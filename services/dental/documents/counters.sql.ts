// Document numbers without gaps: the counter's row stays locked until the transaction that took a number ends.
import { getRow, sql, type TenantTx } from '@clinic/lib/db/db.ts';

/** SQL that takes the next number of a kind and returns it as `last`. Its arguments are expressions. */
export const nextNumber = (clinicId: string, kind: string) => `
  insert into counters (clinic_id, kind, last) values (${clinicId}, ${kind}, 1)
  on conflict (clinic_id, kind) do update set last = counters.last + 1
  returning last`;

const nextStatement = sql<{ last: number }>(nextNumber('$1', '$2'));

/** The clinic's next number of this kind, from 1. */
export const takeNumber = async (tx: TenantTx, kind: 'quote') => (await getRow(tx, nextStatement, [tx.clinicId, kind])).last;
