// Amounts, rates and dates in Spanish.
import { formatCents } from '@clinic/lib/formats/money.ts';
import { DateTime } from 'luxon';

const formats = new Map<string, Intl.NumberFormat>();

function format(key: string, options: Intl.NumberFormatOptions): Intl.NumberFormat {
  const known = formats.get(key) ?? new Intl.NumberFormat('es-SV', options);
  formats.set(key, known);
  return known;
}

/** Cents as money; from 10,000 on without decimals. */
export const money = (cents: bigint, currency: string) => formatCents(cents, currency, cents >= 1_000_000n || cents <= -1_000_000n ? 0 : 2);

/** Cents as short money, for example $1.2 k. */
export function shortMoney(cents: number, currency: string): string {
  const [amount, unit] = cents >= 100_000_000 ? [cents / 100_000_000, ' M'] : cents >= 100_000 ? [cents / 100_000, ' k'] : [cents / 100, ''];
  const options = {
    style: 'currency',
    currency,
    currencyDisplay: 'narrowSymbol',
    minimumFractionDigits: 0,
    maximumFractionDigits: amount < 10 ? 1 : 0,
  } as const;
  return format(`${currency}${unit}${amount < 10}`, options).format(amount) + unit;
}

export const count = (value: number) => format('count', { maximumFractionDigits: 0 }).format(value);

/** `1 cita`, `1,200 citas`. */
export const counted = (value: number, one: string, many: string) => `${count(value)} ${value === 1 ? one : many}`;

/** 0.453 as 45.3 %, undefined as a dash. */
export const percent = (share: number | undefined, digits = 1) =>
  share === undefined ? '–' : `${format(`percent${digits}`, { maximumFractionDigits: digits }).format(share * 100)} %`;

const day = (date: string) => DateTime.fromISO(date, { zone: 'utc' }).setLocale('es-SV');

/** For example 1 al 30 de noviembre de 2026. */
export function period(from: string, to: string): string {
  const [first, last] = [day(from), day(to)];
  const end = last.toFormat("d 'de' LLLL 'de' yyyy");
  if (from === to) return end;
  if (from.slice(0, 7) === to.slice(0, 7)) return `${first.toFormat('d')} al ${end}`;
  return `${first.toFormat(from.slice(0, 4) === to.slice(0, 4) ? "d 'de' LLLL" : "d 'de' LLLL 'de' yyyy")} al ${end}`;
}

/** For example 3 nov. */
export const shortDay = (date: string) => day(date).toFormat('d LLL').replace('.', '');

/** For example nov 26. */
export const shortMonth = (date: string) => day(date).toFormat('LLL yy').replace('.', '');

/** Sunday to Saturday, by the number of the weekday. */
export const WEEKDAYS = ['Dom', 'Lun', 'Mar', 'Mié', 'Jue', 'Vie', 'Sáb'];
/** The weekdays from Monday to Sunday. */
export const WEEK = [1, 2, 3, 4, 5, 6, 0];
