// The period that figures cover, and the period with which they are compared.
import { invalid } from '@clinic/lib/errors/errors.ts';
import { addDays, daysBetween, parseDayRange } from '@clinic/lib/formats/local-date.ts';

/** Dates, first and last included. The period before ends on the day before `from`. */
export type Period = { from: string; to: string; previousFrom: string; previousTo: string };

const MAX_DAYS = 366;
const DEFAULT_DAYS = 30;

/** By default the last 30 days until `today`. Throws VALIDATION_ERROR with the field. A period of whole months is compared with as many months before it. */
export function choosePeriod(request: { from?: string | undefined; to?: string | undefined }, today: string): Period {
  parseDayRange(request.from, request.to);
  const to = request.to ?? today;
  const from = request.from ?? addDays(to, 1 - DEFAULT_DAYS);
  if (from > to) invalid('from', 'must not be after today when `to` is absent');
  const days = daysBetween(from, to) + 1;
  if (days > MAX_DAYS) invalid(request.to === undefined ? 'from' : 'to', `must make a period of at most ${MAX_DAYS} days`);
  const months = wholeMonths(from, to);
  return { from, to, previousFrom: months ? monthsBefore(from, months) : addDays(from, -days), previousTo: addDays(from, -1) };
}

/** 0 Sunday to 6 Saturday. */
export const weekdayOf = (date: string) => new Date(`${date}T00:00:00Z`).getUTCDay();

/** Each day from one to another. */
export const datesBetween = (from: string, to: string): string[] => Array.from({ length: daysBetween(from, to) + 1 }, (_, index) => addDays(from, index));

/** The number of whole months that the period consists of, or 0. */
function wholeMonths(from: string, to: string): number {
  if (!from.endsWith('-01') || !addDays(to, 1).endsWith('-01')) return 0;
  return monthNumber(to) - monthNumber(from) + 1;
}

const monthNumber = (date: string) => Number(date.slice(0, 4)) * 12 + Number(date.slice(5, 7)) - 1;

/** The first day of the month `months` months earlier. */
function monthsBefore(date: string, months: number): string {
  const month = monthNumber(date) - months;
  return `${String(Math.floor(month / 12)).padStart(4, '0')}-${String((month % 12) + 1).padStart(2, '0')}-01`;
}
