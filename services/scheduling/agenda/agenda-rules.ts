// A doctor's day: hours less breaks, and the gaps that visits leave in them.
import type { LocalDay } from '../clinics/local-day-rules.ts';
import { minutesOf } from '../clinics/local-day-rules.ts';
import type { Interval, Range } from '../slots/slots-rules.ts';

/** What is left of some intervals when others are taken out, in order and joined where they touch. */
export function without(intervals: Interval[], taken: Interval[]): Interval[] {
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

function joined(intervals: Interval[]): Interval[] {
  const result: Interval[] = [];
  for (const { start, end } of intervals.filter((one) => one.start < one.end).toSorted((a, b) => a.start - b.start)) {
    const last = result.at(-1);
    if (last && start <= last.end) last.end = Math.max(last.end, end);
    else result.push({ start, end });
  }
  return result;
}

/** Working hours less breaks, as instants of the day. */
export function openSpans({ hours, breaks, onVacation }: { hours: Range[]; breaks: Range[]; onVacation: boolean }, day: Pick<LocalDay, 'at'>): Interval[] {
  const toInterval = (range: Range) => ({ start: day.at(minutesOf(range.start_time)), end: day.at(minutesOf(range.end_time)) });
  return onVacation ? [] : without(hours.map(toInterval), breaks.map(toInterval));
}
