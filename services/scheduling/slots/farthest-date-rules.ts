// How far ahead an appointment can be.
import { invalid } from '@clinic/lib/errors/errors.ts';
import { addDays, dateIn } from '@clinic/lib/formats/local-date.ts';

const DAYS_AHEAD = 731;

export const farthestDate = (zone: string, now: Date): string => addDays(dateIn(zone, now), DAYS_AHEAD);

/** Throws VALIDATION_ERROR for a date, or a whole month (YYYY-MM), after the farthest date. */
export function refuseFarDate(path: string, date: string, zone: string, now: Date): void {
  const farthest = farthestDate(zone, now);
  if (date > farthest) invalid(path, `must not be after ${farthest}, two years ahead`);
}
