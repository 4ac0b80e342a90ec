// Which days figures are of, and which days they are compared with.
import { addDays } from '@clinic/lib/formats/local-date.ts';

/** Days as YYYY-MM-DD, first and last included. The period before ends the day before. */
export type Period = { from: string; to: string; previousFrom: string; previousTo: string };
export type Fault = { path: 'from' | 'to'; message: string };

export const MOST_DAYS = 366;
const USUAL_DAYS = 30;
const DAY = 86_400_000;

/** From and to as they were given, if they were, and the clinic's today. */
export function periodOf(given: { from?: string | undefined; to?: string | undefined }, today: string): Period | Fault {
  const to = given.to ?? today;
  const from = given.from ?? addDays(to, 1 - USUAL_DAYS);
  const path = given.to === undefined ? 'from' : 'to';
  if (from > to) return { path, message: path === 'to' ? 'must not be before from' : 'must not be after today, where a period without to ends' };
  const days = daysBetween(from, to) + 1;
  if (days > MOST_DAYS) return { path, message: `must make a period of at most ${MOST_DAYS} days` };
  const months = wholeMonths(from, to);
  return { from, to, previousFrom: months ? monthsBefore(from, months) : addDays(from, -days), previousTo: addDays(from, -1) };
}

export const daysBetween = (from: string, to: string) => Math.round((Date.parse(to) - Date.parse(from)) / DAY);

/** 0 Sunday to 6 Saturday. */
export const weekdayOf = (date: string) => new Date(`${date}T00:00:00Z`).getUTCDay();

/** Each day from one to another. */
export function datesBetween(from: string, to: string): string[] {
  return Array.from({ length: daysBetween(from, to) + 1 }, (_, index) => new Date(Date.parse(from) + index * DAY).toISOString().slice(0, 10));
}

/** How many whole months a period is; 0 when it is none. */
function wholeMonths(from: string, to: string): number {
  if (!from.endsWith('-01') || !addDays(to, 1).endsWith('-01')) return 0;
  return monthNumber(to) - monthNumber(from) + 1;
}

const monthNumber = (date: string) => Number(date.slice(0, 4)) * 12 + Number(date.slice(5, 7)) - 1;

/** The first day of the month so many months earlier. */
function monthsBefore(date: string, months: number): string {
  const month = monthNumber(date) - months;
  return `${String(Math.floor(month / 12)).padStart(4, '0')}-${String((month % 12) + 1).padStart(2, '0')}-01`;
}
