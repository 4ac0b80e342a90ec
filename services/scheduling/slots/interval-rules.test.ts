import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { localDay } from '../clinics/local-day-rules.ts';
import { type Interval, openIntervals, subtract } from './interval-rules.ts';

const interval = fc.tuple(fc.nat(60), fc.nat(20)).map(([start, length]) => ({ start, end: start + length }));
const points = (intervals: Interval[]) => new Set(intervals.flatMap(({ start, end }) => Array.from({ length: end - start }, (_, index) => start + index)));

test('subtract returns exactly the points that were not taken, as ordered, disjoint, non-empty intervals', () => {
  fc.assert(
    fc.property(fc.array(interval, { maxLength: 6 }), fc.array(interval, { maxLength: 6 }), (intervals, taken) => {
      const left = subtract(intervals, taken);
      const [there, gone] = [points(intervals), points(taken)];
      expect([...points(left)].sort((a, b) => a - b)).toEqual([...there].filter((point) => !gone.has(point)).sort((a, b) => a - b));
      for (const [index, { start, end }] of left.entries()) {
        expect(start).toBeLessThan(end);
        if (index > 0) expect(left[index - 1]?.end).toBeLessThanOrEqual(start);
      }
    }),
  );
});

test('open intervals are right on days on which the clocks change', () => {
  const [hours, breaks] = [[{ start_time: '01:00:00', end_time: '05:00:00' }], [{ start_time: '04:00:00', end_time: '04:30:00' }]];
  const minutes = (date: string) => openIntervals(hours, breaks, localDay('America/New_York', date)).map(({ start, end }) => (end - start) / 60_000);
  expect(minutes('2026-03-07')).toEqual([180, 30]);
  expect(minutes('2026-03-08')).toEqual([120, 30]);
  expect(minutes('2026-11-01')).toEqual([240, 30]);
});
