// Calendar dates, YYYY-MM-DD, and months, YYYY-MM, without a time zone.
import { DateTime } from 'luxon';
import { invalid } from '../errors/errors.ts';

/** The time zone of what belongs to no clinic, and of clinics that do not have one of their own. */
export const DEFAULT_ZONE = 'America/El_Salvador';

const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;
export const MONTH = /^(19|20|21)\d\d-(0[1-9]|1[0-2])$/;

/** What isLocalDate() requires, for a message. */
export const LOCAL_DATE_RULE = 'must be a date that exists, YYYY-MM-DD, in the years 1900 to 2199';

/** Whether the date exists, in the years 1900 to 2199. */
export function isLocalDate(text: string): boolean {
  const [, year = 0, month = 0, day = 0] = DATE.exec(text)?.map(Number) ?? [];
  if (year < 1900 || year > 2199) return false;
  const date = new Date(Date.UTC(year, month - 1, day));
  return date.getUTCMonth() + 1 === month && date.getUTCDate() === day;
}

export function parseLocalDate(path: string, value: string): string {
  return isLocalDate(value) ? value : invalid(path, LOCAL_DATE_RULE);
}

/**
 * The first and the last day of a range, each of which may be undefined; the names are those of their fields. Throws VALIDATION_ERROR with the field,
 * also if the range ends before it begins.
 */
export function parseDayRange<Day extends string | undefined>(
  from: Day,
  to: Day,
  [first, last]: readonly [string, string] = ['from', 'to'],
): { from: Day; to: Day } {
  if (from !== undefined) parseLocalDate(first, from);
  if (to !== undefined) parseLocalDate(last, to);
  if (from !== undefined && to !== undefined && from > to) invalid(last, `must not be before ${first}`);
  return { from, to };
}

export const isMonth = (text: string): boolean => MONTH.test(text);

export const parseMonth = (path: string, value: string): string => (isMonth(value) ? value : invalid(path, 'must be YYYY-MM'));

/** The date in a time zone (IANA name) at an instant. */
export const dateIn = (zone: string, instant: Date): string => DateTime.fromJSDate(instant, { zone }).toISODate() ?? '';

export const addDays = (date: string, days: number): string => DateTime.fromISO(date, { zone: 'utc' }).plus({ days }).toISODate() ?? date;

export const addMonths = (month: string, months: number): string => DateTime.fromISO(`${month}-01`, { zone: 'utc' }).plus({ months }).toFormat('yyyy-MM');

export const nextMonth = (month: string): string => addMonths(month, 1);

/** The first instant, in a time zone, of the month of an instant and of the next month. */
export function monthIn(zone: string, instant: Date): { from: Date; to: Date } {
  const first = DateTime.fromJSDate(instant, { zone }).startOf('month');
  return { from: first.toJSDate(), to: first.plus({ months: 1 }).toJSDate() };
}

/** The instants of a time span that begins on a date in a time zone. Times are HH:MM; an end that is not after the start is on the next day. */
export function spanIn(zone: string, date: string, times: { startTime: string; endTime: string }): { start: DateTime; end: DateTime } {
  const [start, end] = [times.startTime, times.endTime].map((time) => DateTime.fromISO(`${date}T${time}`, { zone })) as [DateTime, DateTime];
  return { start, end: end > start ? end : end.plus({ days: 1 }) };
}

/** Days from one date to another. */
export const daysBetween = (from: string, to: string): number => Math.round((Date.parse(to) - Date.parse(from)) / 86_400_000);
