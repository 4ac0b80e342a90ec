// Periods, available minutes and money of the figures, against a slow computation of the same.
import { addDays, daysBetween } from '@clinic/lib/formats/local-date.ts';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { localDay } from '../clinics/local-day-rules.ts';
import { openIntervals } from '../slots/interval-rules.ts';
import { availableMinutes, calendarOf } from './available-minutes-rules.ts';
import { countFigure, link, rateFigure } from './figure-rules.ts';
import { choosePeriod, datesBetween } from './period-rules.ts';
import { NEVER_DUE, receivableLines, splitPayment } from './plan-lines-rules.ts';

const TODAY = '2026-06-15';
const date = fc.integer({ min: 0, max: 3_000 }).map((days) => addDays('2022-01-01', days));

test('a period and the one before touch and are of one length, or of as many whole months', () => {
  fc.assert(
    fc.property(date, fc.nat({ max: 365 }), (from, more) => {
      const to = addDays(from, more);
      const period = choosePeriod({ from, to }, TODAY);
      expect(period.previousTo).toBe(addDays(from, -1));
      const wholeMonths = from.endsWith('-01') && addDays(to, 1).endsWith('-01');
      if (wholeMonths) expect(period.previousFrom.endsWith('-01')).toBe(true);
      else expect(daysBetween(period.previousFrom, period.previousTo)).toBe(more);
    }),
  );
});

test('whole months, leap years, and periods that are refused', () => {
  expect(choosePeriod({ from: '2026-03-01', to: '2026-03-31' }, TODAY)).toMatchObject({ previousFrom: '2026-02-01', previousTo: '2026-02-28' });
  expect(choosePeriod({ from: '2024-01-01', to: '2024-12-31' }, TODAY)).toMatchObject({ previousFrom: '2023-01-01', previousTo: '2023-12-31' });
  expect(choosePeriod({}, TODAY)).toMatchObject({ from: '2026-05-17', to: TODAY, previousFrom: '2026-04-17', previousTo: '2026-05-16' });
  const refused = (given: { from: string; to?: string }, path: string) =>
    expect(() => choosePeriod(given, TODAY)).toThrow(expect.objectContaining({ reason: 'VALIDATION_ERROR', details: [expect.objectContaining({ path })] }));
  refused({ from: '2026-06-16' }, 'from');
  refused({ from: '2025-06-14' }, 'from');
  refused({ from: '2026-01-02', to: '2026-01-01' }, 'to');
  refused({ from: '2025-01-01', to: '2026-01-02' }, 'to');
});

const time = fc.nat({ max: 47 }).map((half) => `${String(Math.floor(half / 2)).padStart(2, '0')}:${half % 2 ? '30' : '00'}`);
const weekly = fc.record({ day_of_week: fc.nat({ max: 6 }), start_time: time, end_time: time }).filter(({ start_time, end_time }) => start_time < end_time);

test('available minutes equal the sum over the days, also in zones whose clocks change', () => {
  const zones = fc.constantFrom(
    'America/New_York',
    'Africa/Casablanca',
    'Australia/Lord_Howe',
    'Europe/Madrid',
    'America/El_Salvador',
    'Pacific/Apia',
    'America/Santiago',
  );
  const vacation = fc.tuple(date, fc.nat({ max: 20 })).map(([start_date, days]) => ({ start_date, end_date: addDays(start_date, days) }));
  fc.assert(
    fc.property(
      zones,
      date,
      fc.nat({ max: 200 }),
      fc.array(weekly, { maxLength: 12 }),
      fc.array(weekly, { maxLength: 4 }),
      fc.array(vacation, { maxLength: 3 }),
      date,
      fc.option(date, { nil: undefined }),
      (zone, from, more, hours, breaks, vacations, since, until) => {
        const to = addDays(from, more);
        const slow = Array.from({ length: 7 }, () => 0);
        for (const one of datesBetween(from, to)) {
          const day = localDay(zone, one);
          const onVacation =
            one < since || (until !== undefined && one > until) || vacations.some(({ start_date, end_date }) => start_date <= one && one <= end_date);
          const ofWeekday = (ranges: typeof hours) => ranges.filter(({ day_of_week }) => day_of_week === day.weekday);
          const spans = onVacation ? [] : openIntervals(ofWeekday(hours), ofWeekday(breaks), day);
          slow[day.weekday] = (slow[day.weekday] ?? 0) + spans.reduce((sum, { start, end }) => sum + (end - start) / 60_000, 0);
        }
        expect(availableMinutes({ hours, breaks, vacations, since, until }, calendarOf(zone, from, to))).toEqual(slow);
      },
    ),
    { numRuns: 150 },
  );
});

const cents = fc.bigInt({ min: 1n, max: 9_999_999_999n });

test('the parts of a payment sum to it, each within a cent of its share of the price', () => {
  const steps = fc.array(fc.record({ procedure: fc.constantFrom('a', 'b', 'c', ''), cents: fc.oneof(cents, fc.constant(0n)) }), { maxLength: 8 });
  fc.assert(
    fc.property(cents, steps, (amount, some) => {
      const shares = splitPayment(amount, some);
      expect(shares.reduce((sum, share) => sum + share.cents, 0n)).toBe(amount);
      expect(new Set(shares.map(({ procedure }) => procedure)).size).toBe(shares.length);
      const total = some.reduce((sum, step) => sum + step.cents, 0n);
      if (total === 0n) return;
      for (const share of shares) {
        const price = some.filter(({ procedure }) => procedure === share.procedure).reduce((sum, step) => sum + step.cents, 0n);
        expect(Math.abs(Number(share.cents) - (Number(amount) * Number(price)) / Number(total))).toBeLessThan(1.01);
      }
    }),
  );
  expect(splitPayment(5n, [])).toEqual([{ procedure: '', cents: 5n }]);
});

test('payments reduce the receivables of a plan, the earliest instalments first, and never below 0', () => {
  const instalments = fc
    .array(fc.record({ due_date: date, cents }), { maxLength: 6 })
    .map((some) => some.toSorted((a, b) => (a.due_date < b.due_date ? -1 : 1)));
  fc.assert(
    fc.property(instalments, cents, fc.array(fc.tuple(fc.nat({ max: 900 }), cents), { maxLength: 6 }), (parts, rest, paid) => {
      const total_cents = parts.length > 0 ? parts.reduce((sum, part) => sum + part.cents, 0n) : rest;
      const payments = [];
      let left = total_cents;
      for (const [days, wanted] of paid.toSorted(([one], [other]) => one - other)) {
        const [some = 0n] = [wanted, left].toSorted((a, b) => Number(a - b));
        left -= some;
        if (some > 0n) payments.push({ payment_id: String(days), cents: some, paid_at: new Date(0), date: addDays('2022-01-01', days) });
      }
      const lines = receivableLines({ status: 'active', total_cents, opened_on: '2022-01-01' }, parts, payments);
      expect(lines.reduce((sum, line) => sum + line.cents, 0n)).toBe(left);
      for (const day of lines.map((line) => line.date)) {
        const open = Map.groupBy(
          lines.filter((line) => line.date <= day),
          ({ due_date }) => due_date,
        );
        for (const some of open.values()) expect(some.reduce((sum, line) => sum + line.cents, 0n)).toBeGreaterThanOrEqual(0n);
      }
    }),
  );
  const plan = { total_cents: 100n, opened_on: '2026-01-01' };
  expect(receivableLines({ ...plan, status: 'cancelled' }, [], [])).toEqual([]);
  expect(receivableLines({ ...plan, status: 'active' }, [], [])).toEqual([{ date: '2026-01-01', due_date: NEVER_DUE, cents: 100n }]);
  const half = [{ payment_id: 'x', cents: 60n, paid_at: new Date(0), date: '2026-02-01' }];
  expect(receivableLines({ ...plan, status: 'paid' }, [{ due_date: '2026-03-01', cents: 100n }], half)).toEqual([
    { date: '2026-01-01', due_date: '2026-03-01', cents: 60n },
    { date: '2026-02-01', due_date: '2026-03-01', cents: -60n },
  ]);
});

test('growth from 0 and rates of 0 are absent', () => {
  expect(countFigure(3, 0, '/x')).toEqual({ value: 3, previous: 0, change: undefined, link: '/x' });
  expect(countFigure(3, 4, '/x').change).toBe(-0.25);
  expect(rateFigure({ part: 1, whole: 3 }, { part: 0, whole: 0 }, '/x')).toEqual({ value: 0.3333, previous: undefined, change: undefined, link: '/x' });
  expect(link('/api/x', { from: '2026-01-01', to: undefined, of: 'a&b' })).toBe('/api/x?from=2026-01-01&of=a%26b');
});
