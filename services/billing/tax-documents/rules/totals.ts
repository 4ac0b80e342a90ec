// Items of a document and its totals. Prices of a factura include IVA, those of a crédito fiscal do not.
import type { Fault } from './address.ts';
import { inWords, MAX_TOTAL } from './amount-in-words.ts';
import { type Amount, Decimal, fromCents, hasPlaces, IVA, round2, round8, sum, WITH_IVA, ZERO } from './amounts.ts';
import type { Kind } from './kinds.ts';

export type Item = {
  description: string;
  quantity: number;
  unitPrice: number;
  /** Amount that is deducted from the whole line; includes IVA when the price does. */
  discount: number;
  kind: 'service' | 'good' | 'both';
};

type Line = Item & { sale: Amount; iva: Amount };

export type Totals = {
  lines: Line[];
  /** Sum of the lines: with IVA in a factura, without in the others. */
  sales: Amount;
  discounts: Amount;
  net: Amount;
  iva: Amount;
  /** Total of the operation, IVA included. */
  operation: Amount;
  /** IVA that a large taxpayer withholds: 1 % of the net price. */
  withheld: Amount;
  toPay: Amount;
  /** The total in words. */
  words: string;
};

const MAX_ITEMS = 200;
const MAX_AMOUNT = 99_999_999.99;

export function itemsFault(items: Item[]): Fault | undefined {
  if (items.length === 0 || items.length > MAX_ITEMS) return { path: 'items', message: `must have 1 to ${MAX_ITEMS} items` };
  for (const [index, { description, quantity, unitPrice, discount }] of items.entries()) {
    const fault = (field: string, message: string): Fault => ({ path: `items.${index}.${field}`, message });
    if (description.length < 1 || description.length > 1000) return fault('description', 'must have 1 to 1000 characters');
    if (!isAmount(quantity) || quantity === 0) return fault('quantity', 'must be positive, with at most 8 decimals');
    if (!isAmount(unitPrice)) return fault('unitPrice', 'must be 0 or more, with at most 8 decimals');
    if (!isAmount(discount)) return fault('discount', 'must be 0 or more, with at most 8 decimals');
    if (new Decimal(quantity).times(unitPrice).lt(discount)) return fault('discount', 'must not be more than the price');
  }
  return undefined;
}

const isAmount = (value: number) => Number.isFinite(value) && value >= 0 && value <= MAX_AMOUNT && hasPlaces(value, 8);

/** The net price from which a large taxpayer withholds (Código Tributario, article 162). */
const WITHHOLDING_FROM = new Decimal(100);
const WITHHOLDING_RATE = new Decimal('0.01');

/** `withholds`: the receiver is a large taxpayer and the issuer is not. */
export function totalsOf(kind: Kind, items: Item[], withholds: boolean): Totals {
  const included = kind === '01';
  const lines = items.map((item): Line => {
    const sale = round8(new Decimal(item.unitPrice).times(item.quantity).minus(item.discount));
    return { ...item, sale, iva: round8(included ? sale.div(WITH_IVA).times(IVA) : sale.times(IVA)) };
  });
  const sales = round2(sum(lines.map(({ sale }) => sale)));
  const iva = included ? round2(sum(lines.map((line) => line.iva))) : round2(sales.times(IVA));
  const net = included ? sales.div(WITH_IVA) : sales;
  const operation = included ? sales : sales.plus(iva);
  const withheld = withholds && round2(net).gte(WITHHOLDING_FROM) ? round2(net.times(WITHHOLDING_RATE)) : ZERO;
  const toPay = Decimal.max(operation.minus(withheld), 0);
  const discounts = round2(sum(items.map(({ discount }) => new Decimal(discount))));
  return { lines, sales, discounts, net: round2(net), iva, operation, withheld, toPay, words: inWords(kind === '05' ? operation : toPay) };
}

/** One item for what earlier notas de crédito have left of a document. */
export function restOf(items: Item[], cents: bigint, controlNumber: string): Item {
  const [kind = 'both', ...others] = new Set(items.map((item) => item.kind));
  return {
    description: `Saldo del documento ${controlNumber}`,
    quantity: 1,
    unitPrice: fromCents(cents).toNumber(),
    discount: 0,
    kind: others.length > 0 ? 'both' : kind,
  };
}

export function totalsFault({ operation }: Totals): Fault | undefined {
  if (operation.isZero()) return { path: 'items', message: 'must add up to more than 0.00' };
  return operation.gt(MAX_TOTAL) ? { path: 'items', message: `must not add up to more than ${MAX_TOTAL}` } : undefined;
}
