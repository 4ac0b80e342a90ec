// Validation of weekly hours and breaks.
import { isWholeMinute } from '@clinic/lib/formats/clock-time.ts';

export type WeeklyRange = { dayOfWeek: number; startTime: string; endTime: string };

/** Whether two lists have the same ranges, in any order. */
export function isSameWeek(ranges: WeeklyRange[], others: WeeklyRange[]): boolean {
  const toKey = ({ dayOfWeek, startTime, endTime }: WeeklyRange) => `${dayOfWeek} ${startTime.slice(0, 5)} ${endTime.slice(0, 5)}`;
  return ranges.map(toKey).sort().join() === others.map(toKey).sort().join();
}

/** The end of a range may be the end of the day. */
const END_OF_DAY = /^24:00(:00)?$/;

type HoursFault = { path: string; message: string };

/** The first error in a list of ranges, or undefined. Ranges of one day may touch but not overlap. */
export function hoursFault(ranges: WeeklyRange[], field: string): HoursFault | undefined {
  for (const [index, { dayOfWeek, startTime, endTime }] of ranges.entries()) {
    const at = (name: string, message: string) => ({ path: `${field}.${index}.${name}`, message });
    if (!Number.isInteger(dayOfWeek) || dayOfWeek < 0 || dayOfWeek > 6) return at('dayOfWeek', 'must be 0 (Sunday) to 6 (Saturday)');
    if (!isWholeMinute(startTime)) return at('startTime', 'must be HH:MM');
    if (!isWholeMinute(endTime) && !END_OF_DAY.test(endTime)) return at('endTime', 'must be HH:MM');
    if (endTime.slice(0, 5) <= startTime.slice(0, 5)) return at('endTime', 'must be after startTime; the end of the day is 24:00');
    const overlapping = ranges
      .slice(0, index)
      .some((other) => other.dayOfWeek === dayOfWeek && startTime.slice(0, 5) < other.endTime.slice(0, 5) && other.startTime.slice(0, 5) < endTime.slice(0, 5));
    if (overlapping) return at('startTime', 'overlaps another range of the same day');
  }
  return undefined;
}
