// Amounts are integer cents, and as text what people in the region read.

/** $99,999,999.99: what fits into every sum of a clinic without losing a cent. */
export const MOST_CENTS = 9_999_999_999n;

const formats = new Map<string, Intl.NumberFormat>();

/** Cents as money, for example $1,234.50. */
export function formatCents(cents: bigint, currency: string): string {
  let format = formats.get(currency);
  if (!format) {
    format = new Intl.NumberFormat('es-SV', { style: 'currency', currency, currencyDisplay: 'narrowSymbol' });
    formats.set(currency, format);
  }
  return format.format(Number(cents) / 100);
}
