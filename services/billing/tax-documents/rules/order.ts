// What a tax document keeps: what was asked for, what was built of it, and its signature.

import type { Fault } from './address.ts';
import { type Amount, toCents } from './amounts.ts';
import { type Item, itemsFault, type Totals, totalsFault, totalsOf } from './totals.ts';
import type { Catalogs } from './catalogs.ts';
import { writeCreditNote } from './credit-note.ts';
import type { Head } from './identification.ts';
import type { Issuer, PointOfSale } from './issuer.ts';
import { type Payment, paymentFault } from './payment.ts';
import { missingOf, type Receiver, receiverFault } from './receiver.ts';
import { writeSale } from './build-document.ts';

/** What was asked for, read and made whole. */
export type Order = {
  receiver: Receiver | null;
  items: Item[];
  payment: Payment;
  notes: string | null;
  /** The crédito fiscal that a note takes back. */
  of: { code: string; day: string } | null;
};

export type Content = {
  order: Order;
  document: { identificacion: object };
  /** Null before it is signed. */
  jws: string | null;
  /** The document as it was before the authority was found to be away: it may have arrived all the same. */
  before: { document: { identificacion: object }; jws: string } | null;
};

/** A large taxpayer withholds from whoever is none; a note withholds nothing. */
export const totalsFor = (head: Pick<Head, 'kind'>, issuer: Issuer, { receiver, items }: Order): Totals =>
  totalsOf(head.kind, items, head.kind !== '05' && !issuer.isLargeTaxpayer && receiver?.isLargeTaxpayer === true);

/** What keeps the order from becoming a document. */
export function orderFault(catalogs: Catalogs, head: Pick<Head, 'kind' | 'generation'>, issuer: Issuer, order: Order, threshold: Amount): Fault | undefined {
  const wrong = itemsFault(order.items) ?? (order.receiver && receiverFault(catalogs, order.receiver));
  if (wrong) return wrong;
  if (order.notes !== null && order.notes.length > 3000) return { path: 'notes', message: 'must have at most 3000 characters' };
  const totals = totalsFor(head, issuer, order);
  return (
    totalsFault(head.kind, totals) ??
    missingOf(head.kind, head.generation, order.receiver, totals.operation, threshold) ??
    (head.kind === '05' ? undefined : paymentFault(catalogs, order.payment, totals.toPay))
  );
}

/** Builds the document of an order without a fault. */
export function writeDocument(catalogs: Catalogs, head: Head, issuer: Issuer, at: PointOfSale, order: Order, totals: Totals): Content['document'] {
  const { receiver, payment, notes, of } = order;
  const { kind } = head;
  if (kind !== '05') return writeSale(catalogs, { head: { ...head, kind }, issuer, at, receiver, totals, payment, notes });
  if (!receiver || !of) throw new Error('a note has a receiver and what it takes back');
  return writeCreditNote(catalogs, { head: { ...head, kind }, issuer, at, receiver, totals, of, notes });
}

export const amountsOf = ({ sales, iva, withheld, operation, toPay }: Totals) => ({
  sales_cents: toCents(sales),
  iva_cents: toCents(iva),
  withheld_cents: toCents(withheld),
  operation_cents: toCents(operation),
  to_pay_cents: toCents(toPay),
});
