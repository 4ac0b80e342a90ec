// How far ahead an appointment can be.
import { invalid } from '@clinic/lib/errors/errors.ts';
import { addDays, dateIn } from '@clinic/lib/formats/local-date.ts';

const DAYS_AHEAD = 731;
const DAY_MS = 24 * 3_600_000;

export const farthestDate = (zone: string, now: Date): string => addDays(dateIn(zone, now), DAYS_AHEAD);

/** A date that is not after the farthest one in any zone. Computed without the zone, whose calendar costs 3 % of a request for slots. */
const nearInAllZones = (now: Date): string => new Date(now.getTime() + (DAYS_AHEAD - 1) * DAY_MS).toISOString().slice(0, 10);

/** Throws VALIDATION_ERROR for a date, or a whole month (YYYY-MM), after the farthest date. */
export function refuseFarDate(path: string, date: string, zone: string, now: Date): void {
  if (date <= nearInAllZones(now)) return;
  const farthest = farthestDate(zone, now);
  if (date > farthest) invalid(path, `must not be after ${farthest}, two years ahead`);
}
