// Dates in the format of the region.
import { DateTime } from 'luxon';

/** 2026-08-03 → `3 de agosto de 2026`. */
export function spanishDate(date: string): string {
  return DateTime.fromISO(date, { zone: 'utc' }).setLocale('es-SV').toFormat("d 'de' LLLL 'de' yyyy");
}
