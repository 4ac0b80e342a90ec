// A calendar day of a zone as instants. A day has one offset from UTC, or two with the change between them.
import { DateTime } from 'luxon';

export type LocalDay = {
  /** 0 Sunday to 6 Saturday. */
  weekday: number;
  /** Epoch milliseconds of the first instant of this day and of the next one. */
  start: number;
  end: number;
  /** Epoch milliseconds of a local time in minutes after midnight. A time that the clocks skip is the instant after the gap; one that they repeat is its first. */
  at(minutes: number): number;
  /** Minutes after midnight that the wall clock shows at an instant. */
  clockAt(instant: number): number;
};

const MINUTE = 60_000;
const MOST_REMEMBERED = 2_000;
const remembered = new Map<string, LocalDay>();

/** The day `date` (YYYY-MM-DD) in `zone` (IANA). */
export function localDay(zone: string, date: string): LocalDay {
  const key = `${zone} ${date}`;
  const known = remembered.get(key);
  if (known) return known;
  if (remembered.size >= MOST_REMEMBERED) remembered.clear();
  const day = measure(zone, date);
  remembered.set(key, day);
  return day;
}

function measure(zone: string, date: string): LocalDay {
  const midnight = DateTime.fromISO(date, { zone }).startOf('day');
  const start = midnight.toMillis();
  const end = midnight.plus({ days: 1 }).startOf('day').toMillis();
  const offset = (instant: number) => DateTime.fromMillis(instant, { zone }).offset * MINUTE;
  const [before, after] = [offset(start), offset(end)];
  const change = before === after ? end : firstWith(after, start, end, offset);
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

/** The first instant between start and end that has the offset `wanted`, found by halving. */
function firstWith(wanted: number, start: number, end: number, offset: (instant: number) => number): number {
  let [low, high] = [start, end];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (offset(middle) === wanted) high = middle;
    else low = middle;
  }
  return high;
}

/** `HH:MM` or `HH:MM:SS` in minutes after midnight. */
export function minutesOf(time: string): number {
  return Number(time.slice(0, 2)) * 60 + Number(time.slice(3, 5));
}

/** Minutes after midnight as `HH:MM`; the next day's begin at 00:00 again. */
export function timeOf(minutes: number): string {
  const within = minutes % (24 * 60);
  return `${String(Math.floor(within / 60)).padStart(2, '0')}:${String(within % 60).padStart(2, '0')}`;
}
