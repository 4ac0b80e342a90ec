// The dates of a series, and which free slots are closest to a time that is not free.
import { addDays } from '@clinic/lib/formats/local-date.ts';
import { minutesOf } from '../clinics/local-day-rules.ts';

/** Alternatives for one appointment. */
const MAX_ALTERNATIVES = 3;

/** `count` dates, `weeks` apart. */
export const datesOf = (first: string, weeks: number, count: number): string[] => Array.from({ length: count }, (_, n) => addDays(first, n * weeks * 7));

/** The slots whose time of day is closest to `startTime` (HH:MM), by start. */
export function closest<S extends { start: number; startTime: string }>(slots: S[], startTime: string): S[] {
  const distance = (slot: S) => Math.abs(minutesOf(slot.startTime) - minutesOf(startTime));
  return slots
    .toSorted((a, b) => distance(a) - distance(b) || a.start - b.start)
    .slice(0, MAX_ALTERNATIVES)
    .sort((a, b) => a.start - b.start);
}
