// The instant that a client means by a day or an instant.
import { DateTime } from 'luxon';

const DAY = /^\d{4}-\d{2}-\d{2}$/;
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})$/;

/** The end of a day (YYYY-MM-DD) in the zone, or the instant (ISO 8601 with offset); undefined for anything else. */
export function asOf(text: string, zone: string): Date | undefined {
  if (!DAY.test(text) && !INSTANT.test(text)) return undefined;
  const read = DateTime.fromISO(text, { zone });
  if (!read.isValid) return undefined;
  return (DAY.test(text) ? read.endOf('day') : read).toJSDate();
}

/** The date (YYYY-MM-DD) that an instant has in a zone. */
export function dateIn(zone: string, instant: Date): string {
  return DateTime.fromJSDate(instant, { zone }).toISODate() ?? '';
}
