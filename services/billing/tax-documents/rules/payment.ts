// How a document is paid: at once, on credit with a term, or in another way.
import type { Fault } from './address.ts';
import { type Amount, Decimal, hasPlaces, sum } from './amounts.ts';
import { type Catalogs, findEntry, PAYMENT_METHODS } from './catalogs.ts';

type Condition = 'cash' | 'credit' | 'other';
type Method = { code: string; amount: number; reference: string | null };
type Term = { unit: 'days' | 'months' | 'years'; count: number };
export type Payment = { condition: Condition; methods: Method[]; term: Term | null };

/** CAT-017. */
const CASH = '01';
/** CAT-017: account receivable. */
const RECEIVABLE = '13';
const CONDITIONS = { cash: 1, credit: 2, other: 3 } as const;
const UNITS = { days: '01', months: '02', years: '03' } as const;

/** CAT-016. */
export const conditionCode = (condition: Condition): number => CONDITIONS[condition];

export function paymentFault(catalogs: Catalogs, { condition, methods, term }: Payment): Fault | undefined {
  if (methods.length > 20) return { path: 'payment.methods', message: 'must have at most 20 items' };
  for (const [index, { code, amount, reference }] of methods.entries()) {
    const fault = (field: string, message: string): Fault => ({ path: `payment.methods.${index}.${field}`, message });
    if (!findEntry(catalogs, PAYMENT_METHODS, code)) return fault('code', 'must be a code of CAT-017');
    if (!(amount >= 0 && amount < 1e9 && hasPlaces(amount, 2))) return fault('amount', 'must be 0 or more, with at most 2 decimals');
    if (reference !== null && reference.length > 50) return fault('reference', 'must have at most 50 characters');
    if (reference !== null && code === CASH) return fault('reference', 'must be absent for cash (01): documents contain no reference for it');
  }
  if (condition === 'credit' && !term) return { path: 'payment.term', message: 'is required on credit' };
  if (condition !== 'credit' && term) return { path: 'payment.term', message: 'is only allowed on credit' };
  if (term && !(Number.isInteger(term.count) && term.count >= 1 && term.count <= 3650)) return { path: 'payment.term.count', message: 'must be 1 to 3650' };
  return methods.length === 0 && condition !== 'credit' ? { path: 'payment.methods', message: 'must not be empty' } : undefined;
}

/** A payment whose methods do not add up to the amount to pay. On credit it may have none. */
export function paidFault({ methods }: Payment, toPay: Amount): Fault | undefined {
  if (methods.length === 0) return undefined;
  const paid = sum(methods.map(({ amount }) => new Decimal(amount)));
  return paid.eq(toPay) ? undefined : { path: 'payment.methods', message: `must add up to ${toPay.toFixed(2)}, not ${paid.toFixed(2)}` };
}

/** The `pagos` of a document. */
export function toPagos({ condition, methods, term }: Payment, toPay: Amount) {
  const all = methods.length > 0 ? methods : [{ code: RECEIVABLE, amount: toPay.toNumber(), reference: null }];
  const due = condition === 'credit' && term ? { plazo: UNITS[term.unit], periodo: term.count } : { plazo: null, periodo: null };
  return all.map(({ code, amount, reference }) => ({
    codigo: code,
    montoPago: amount,
    referencia: reference,
    ...due,
  }));
}
