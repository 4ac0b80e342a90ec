// Converts between the local times of a calendar day in a zone and instants. A day has one UTC offset, or two when the clocks change.
import { DateTime } from 'luxon';

export type LocalDay = {
  /** 0 Sunday to 6 Saturday. */
  weekday: number;
  /** Epoch milliseconds of the first instant of this day and of the next one. */
  start: number;
  end: number;
  /** The instant (epoch milliseconds) of a local time in minutes after midnight. For a time that the clocks skip, the end of the gap; for one that they repeat, the first. */
  at(minutes: number): number;
  /** Minutes after midnight that the wall clock shows at an instant. */
  clockAt(instant: number): number;
};

const MINUTE = 60_000;
const MAX_CACHED = 2_000;
const cache = new Map<string, LocalDay>();

/** The day `date` (YYYY-MM-DD) in `zone` (IANA). */
export function localDay(zone: string, date: string): LocalDay {
  const key = `${zone} ${date}`;
  const cached = cache.get(key);
  if (cached) return cached;
  if (cache.size >= MAX_CACHED) cache.clear();
  const day = computeDay(zone, date);
  cache.set(key, day);
  return day;
}

function computeDay(zone: string, date: string): LocalDay {
  const midnight = DateTime.fromISO(date, { zone }).startOf('day');
  const start = midnight.toMillis();
  const end = midnight.plus({ days: 1 }).startOf('day').toMillis();
  const offset = (instant: number) => DateTime.fromMillis(instant, { zone }).offset * MINUTE;
  const [before, after] = [offset(start), offset(end)];
  const change = before === after ? end : firstInstantWith(after, start, end, offset);
  const asUtc = Date.UTC(midnight.year, midnight.month - 1, midnight.day);
  return {
    weekday: midnight.weekday % 7,
    start,
    end,
    at(minutes) {
      const local = asUtc + minutes * MINUTE;
      return Math.max(start, local - before < change ? local - before : Math.max(change, local - after));
    },
    clockAt: (instant) => (instant + (instant < change ? before : after) - asUtc) / MINUTE,
  };
}

/** The first instant between `start` and `end` with the offset `wanted`, by binary search. */
function firstInstantWith(wanted: number, start: number, end: number, offset: (instant: number) => number): number {
  let [low, high] = [start, end];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (offset(middle) === wanted) high = middle;
    else low = middle;
  }
  return high;
}

/** Minutes after midnight of `HH:MM` or `HH:MM:SS`. */
export const minutesOf = (time: string) => Number(time.slice(0, 2)) * 60 + Number(time.slice(3, 5));

/** Minutes after midnight as `HH:MM`, modulo 24 hours. */
export function timeOf(minutes: number): string {
  const within = minutes % (24 * 60);
  return `${String(Math.floor(within / 60)).padStart(2, '0')}:${String(within % 60).padStart(2, '0')}`;
}
