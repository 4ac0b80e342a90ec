// All notas de crédito of a crédito fiscal together never exceed its net amount. The row of the crédito fiscal must be locked, so that no other
// note is issued or corrected at the same time.
import type { TenantTx } from '@clinic/lib/db/db.ts';
import { fail, invalid } from '@clinic/lib/errors/errors.ts';
import { fromCents, toCents } from './rules/amounts.ts';
import { type Item, itemsFault, totalsOf } from './rules/totals.ts';
import { findPendingInvalidation } from './sql/authority-events.sql.ts';
import { type DocumentRow, listNotesOf } from './sql/documents.sql.ts';

/** Net amount in cents that the notas de crédito of a crédito fiscal have not credited yet. Throws DTE_NOT_ALLOWED when it may have no further note. */
export async function getRemaining(tx: TenantTx, credit: DocumentRow): Promise<bigint> {
  if (credit.kind !== '03' || credit.status !== 'processed' || (await findPendingInvalidation(tx, credit.id)))
    return fail('DTE_NOT_ALLOWED', 'A nota de crédito needs a sealed crédito fiscal that is not invalidated');
  const left = (await listNotesOf(tx, credit.id)).reduce((cents, note) => cents - note.sales_cents, credit.sales_cents);
  return left > 0n ? left : fail('DTE_NOT_ALLOWED', 'The notas de crédito of this document already credit its whole amount');
}

export function checkRemaining(left: bigint, items: Item[]): void {
  if (itemsFault(items)) return; // reported when the document is built
  if (toCents(totalsOf('05', items, false).sales) > left)
    invalid('items', `must not add up to more than ${fromCents(left).toFixed(2)}, the amount that is left to credit`);
}
