// An order is the parsed request for a document. It is stored with the document that was built from it.
import type { Fault } from './address.ts';
import { type Amount, toCents } from './amounts.ts';
import type { Catalogs } from './catalogs.ts';
import type { Head } from './identification.ts';
import type { Issuer } from './issuer.ts';
import { type Payment, paymentFault } from './payment.ts';
import { type Receiver, receiverFault, requiredReceiverFault } from './receiver.ts';
import { type Item, itemsFault, type Totals, totalsFault, totalsOf } from './totals.ts';

/** A document as JSON of its schema. */
type Document = { identificacion: object };

export type Order = {
  receiver: Receiver | null;
  items: Item[];
  payment: Payment;
  notes: string | null;
  /** The crédito fiscal that a nota de crédito is for: its generation code and day of issue. */
  of: { code: string; day: string } | null;
};

export type Content = {
  order: Order;
  document: Document;
  /** Null before it is signed. */
  jws: string | null;
  /** The document before it was issued in contingency: the authority may have received it nevertheless. */
  before: { document: Document; jws: string } | null;
};

export type SignedContent = Content & { jws: string };

/** A receiver who is a large taxpayer withholds, unless the issuer is one too; a nota de crédito withholds nothing. */
export const totalsFor = (head: Pick<Head, 'kind'>, issuer: Issuer, { receiver, items }: Order): Totals =>
  totalsOf(head.kind, items, head.kind !== '05' && !issuer.isLargeTaxpayer && receiver?.isLargeTaxpayer === true);

/** Why no document can be issued for the order, or undefined. `threshold` is the amount from which a factura names its receiver. */
export function orderFault(catalogs: Catalogs, head: Pick<Head, 'kind' | 'generation'>, issuer: Issuer, order: Order, threshold: Amount): Fault | undefined {
  const wrong = itemsFault(order.items) ?? (order.receiver && receiverFault(catalogs, order.receiver));
  if (wrong) return wrong;
  if (order.notes !== null && order.notes.length > 3000) return { path: 'notes', message: 'must have at most 3000 characters' };
  const totals = totalsFor(head, issuer, order);
  return (
    totalsFault(totals) ??
    requiredReceiverFault(head.kind, head.generation, order.receiver, totals.operation, threshold) ??
    (head.kind === '05' ? undefined : paymentFault(catalogs, order.payment, totals.toPay))
  );
}

/** The totals as columns of a document's row. */
export const toAmountColumns = ({ sales, iva, withheld, operation, toPay }: Totals) => ({
  sales_cents: toCents(sales),
  iva_cents: toCents(iva),
  withheld_cents: toCents(withheld),
  operation_cents: toCents(operation),
  to_pay_cents: toCents(toPay),
});
