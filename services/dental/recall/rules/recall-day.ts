// Recall uses the time of El Salvador, UTC-6 all year, for every clinic.
import { DEFAULT_ZONE, dateIn } from '@clinic/lib/formats/local-date.ts';
import { DateTime } from 'luxon';

/** The time (HH:MM) that a time in UTC-6 has in a zone, on the date of `now`. */
export const localTime = (time: string, now: Date, zone: string): string =>
  DateTime.fromISO(`${dateIn(DEFAULT_ZONE, now)}T${time}-06:00`, { zone }).toFormat('HH:mm');

/** Whether a time is in the range from `from`, inclusive, to `until`, which may be on the next day. Equal ends are no range. */
export const isWithin = (time: string, from: string, until: string): boolean => (from <= until ? from <= time && time < until : from <= time || time < until);
