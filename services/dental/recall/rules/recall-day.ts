// Recall uses the time of El Salvador, UTC-6 all year, for every clinic.
import { DateTime } from 'luxon';

const OFFSET_MS = 6 * 3_600_000;

/** The date (YYYY-MM-DD) that an instant has in UTC-6. */
export const recallDay = (instant: Date): string => new Date(instant.getTime() - OFFSET_MS).toISOString().slice(0, 10);

/** The time (HH:MM) that a time in UTC-6 has in a zone, on the date of `now`. */
export const localTime = (time: string, now: Date, zone: string): string => DateTime.fromISO(`${recallDay(now)}T${time}-06:00`, { zone }).toFormat('HH:mm');

/** Whether a time is in the range from `from`, inclusive, to `until`, which may be on the next day. Equal ends are no range. */
export const isWithin = (time: string, from: string, until: string): boolean => (from <= until ? from <= time && time < until : from <= time || time < until);

/** First instant of the current month in UTC-6 and of the next month. */
export function recallMonth(instant: Date): { from: Date; to: Date } {
  const local = new Date(instant.getTime() - OFFSET_MS);
  const at = (month: number) => new Date(Date.UTC(local.getUTCFullYear(), month, 1) + OFFSET_MS);
  return { from: at(local.getUTCMonth()), to: at(local.getUTCMonth() + 1) };
}
