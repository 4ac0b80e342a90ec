// An order is the parsed request for a document. It is stored with the document that was built from it.
import type { Fault } from './address.ts';
import { type Amount, toCents } from './amounts.ts';
import type { Catalogs } from './catalogs.ts';
import type { Head } from './identification.ts';
import type { Issuer } from './issuer.ts';
import type { Kind } from './kinds.ts';
import { type Payment, paidFault, paymentFault } from './payment.ts';
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
export const totalsFor = (head: Pick<Head, 'kind'>, issuer: Pick<Issuer, 'isLargeTaxpayer'>, { receiver, items }: Order): Totals =>
  totalsOf(head.kind, items, head.kind !== '05' && !issuer.isLargeTaxpayer && receiver?.isLargeTaxpayer === true);

type Parts = { [Part in 'receiver' | 'items' | 'payment' | 'notes']?: Order[Part] | undefined };

/**
 * What is wrong with the given parts of an order, whatever the document, its issuer and the other parts are; undefined if nothing is. While the kind
 * of the document is unknown, it counts as a factura: the total of the other kinds is never less.
 */
export function partsFault(catalogs: Catalogs, { receiver, items, payment, notes }: Parts, kind: Kind = '01'): Fault | undefined {
  return (
    (items && (itemsFault(items) ?? totalsFault(totalsOf(kind, items, false)))) ??
    (receiver ? receiverFault(catalogs, receiver) : undefined) ??
    (notes && notes.length > 3000 ? { path: 'notes', message: 'must have at most 3000 characters' } : undefined) ??
    (payment && paymentFault(catalogs, payment))
  );
}

/** Why no document can be issued for the order, or undefined. `threshold` is the amount from which a factura names its receiver. */
export function orderFault(
  catalogs: Catalogs,
  head: Pick<Head, 'kind' | 'generation'>,
  issuer: Pick<Issuer, 'isLargeTaxpayer'>,
  order: Order,
  threshold: Amount,
): Fault | undefined {
  const payment = head.kind === '05' ? undefined : order.payment;
  const wrong = partsFault(catalogs, { ...order, payment }, head.kind);
  if (wrong) return wrong;
  const { operation, toPay } = totalsFor(head, issuer, order);
  return requiredReceiverFault(head.kind, head.generation, order.receiver, operation, threshold) ?? (payment && paidFault(payment, toPay));
}

/** The totals as columns of a document's row. */
export const toAmountColumns = ({ sales, iva, withheld, operation, toPay }: Totals) => ({
  sales_cents: toCents(sales),
  iva_cents: toCents(iva),
  withheld_cents: toCents(withheld),
  operation_cents: toCents(operation),
  to_pay_cents: toCents(toPay),
});
