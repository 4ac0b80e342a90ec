// Dates and amounts of money in the format of the region.
import { fromCents } from '@clinic/lib/formats/money.ts';
import { DateTime } from 'luxon';

/** 2026-08-03 → `3 de agosto de 2026`. */
export function spanishDate(date: string): string {
  return DateTime.fromISO(date, { zone: 'utc' }).setLocale('es-SV').toFormat("d 'de' LLLL 'de' yyyy");
}

const formats = new Map<string, Intl.NumberFormat>();

/** 123450 cents of USD → `$1,234.50`. */
export function formatCents(cents: bigint, currency: string): string {
  let format = formats.get(currency);
  if (!format) {
    format = new Intl.NumberFormat('es-SV', { style: 'currency', currency, currencyDisplay: 'narrowSymbol' });
    formats.set(currency, format);
  }
  return format.format(fromCents(cents));
}
