// Intervals of time, and the hours of a doctor's day as intervals.
import { type LocalDay, minutesOf } from '../clinics/local-day-rules.ts';

/** Local times of a weekday, HH:MM:SS. */
export type Range = { start_time: string; end_time: string };
/** Epoch milliseconds, end excluded. */
export type Interval = { start: number; end: number };

export const toInterval = (range: Range, day: Pick<LocalDay, 'at'>): Interval => ({
  start: day.at(minutesOf(range.start_time)),
  end: day.at(minutesOf(range.end_time)),
});

/** Whether `wanted` overlaps none of `busy`. */
export const isFree = (wanted: Interval, busy: Interval[]) => busy.every((taken) => wanted.end <= taken.start || wanted.start >= taken.end);

/** The intervals without the parts in `taken`, in order; intervals that touch are joined. */
export function subtract(intervals: Interval[], taken: Interval[]): Interval[] {
  let left = joined(intervals);
  for (const { start, end } of taken) {
    left = left.flatMap((one) =>
      end <= one.start || start >= one.end
        ? [one]
        : [
            { start: one.start, end: Math.max(one.start, start) },
            { start: Math.min(one.end, end), end: one.end },
          ].filter((part) => part.start < part.end),
    );
  }
  return left;
}

/** In order; intervals that touch are joined. */
export function joined(intervals: Interval[]): Interval[] {
  const result: Interval[] = [];
  for (const { start, end } of intervals.filter((one) => one.start < one.end).toSorted((a, b) => a.start - b.start)) {
    const last = result.at(-1);
    if (last && start <= last.end) last.end = Math.max(last.end, end);
    else result.push({ start, end });
  }
  return result;
}

/** Working hours without breaks, as intervals of the day. */
export function openIntervals(hours: Range[], breaks: Range[], day: Pick<LocalDay, 'at'>): Interval[] {
  const toIntervals = (ranges: Range[]) => ranges.map((range) => toInterval(range, day));
  return subtract(toIntervals(hours), toIntervals(breaks));
}
