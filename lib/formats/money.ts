// Amounts of money: integer cents inside, numbers with two decimals in public JSON.
import { invalid } from '../errors/errors.ts';

/** 99,999,999.99: within this limit, sums of a clinic's amounts are exact as JSON numbers. */
export const MAX_CENTS = 9_999_999_999n;

/** Cents of an amount with at most two decimals. */
export const toCents = (amount: number): bigint => BigInt(Math.round(amount * 100));

/** The amount as public JSON shows it. */
export const fromCents = (cents: bigint): number => Number(cents) / 100;

const formats = new Map<string, Intl.NumberFormat>();

/** 123450 cents of USD → `$1,234.50`, in the format of the region, with the given number of decimals. */
export function formatCents(cents: bigint, currency: string, decimals = 2): string {
  const key = `${currency}${decimals}`;
  let format = formats.get(key);
  if (!format) {
    const digits = { minimumFractionDigits: decimals, maximumFractionDigits: decimals }; // otherwise some currencies have none
    format = new Intl.NumberFormat('es-SV', { style: 'currency', currency, currencyDisplay: 'narrowSymbol', ...digits });
    formats.set(key, format);
  }
  return format.format(fromCents(cents));
}

/** Whether the amount is positive, within the limit, and has at most two decimals. */
export const isAmount = (amount: number): boolean => amount > 0 && amount <= fromCents(MAX_CENTS) && Math.round(amount * 100) / 100 === amount;

/** A positive amount in cents. */
export function parseCents(path: string, cents: bigint): bigint {
  return cents > 0n && cents <= MAX_CENTS ? cents : invalid(path, 'must be a positive amount of at most 99,999,999.99');
}
