// Calendar days without times: YYYY-MM-DD, in which text order is time order.
import { DateTime } from 'luxon';

/** The day that a zone has at an instant. */
export function dateIn(zone: string, now: Date): string {
  return DateTime.fromJSDate(now, { zone }).toISODate() ?? '';
}

/** 0 to 23. */
export function hourIn(zone: string, now: Date): number {
  return DateTime.fromJSDate(now, { zone }).hour;
}

/** `months` later on the same day of the month; a day that the month lacks is its last. */
export function addMonths(date: string, months: number): string {
  return DateTime.fromISO(date, { zone: 'utc' }).plus({ months }).toISODate() ?? '';
}

export function addDays(date: string, days: number): string {
  return DateTime.fromISO(date, { zone: 'utc' }).plus({ days }).toISODate() ?? '';
}

/** For example 3 de agosto de 2026. */
export function spanishDate(date: string): string {
  return DateTime.fromISO(date, { zone: 'utc' }).setLocale('es-SV').toFormat("d 'de' LLLL 'de' yyyy");
}
