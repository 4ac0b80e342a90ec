// Slots: zones, days on which the clocks change, buffers, several ranges, breaks and appointments.
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { DateTime } from 'luxon';
import { localDay, minutesOf, timeOf } from '../clinics/local-day-rules.ts';
import { decideBooking } from './booking-rules.ts';
import { isFree } from './interval-rules.ts';
import { freeByDay } from './month-rules.ts';
import { freeSlots, offeredSlots, type Schedule } from './slots-rules.ts';

const LONG_AGO = 0;
const plain: Schedule = {
  consultationMinutes: 30,
  bufferMinutes: 0,
  hours: [{ start_time: '08:00', end_time: '10:00' }],
  breaks: [],
  onVacation: false,
  busy: [],
};
const names = (schedule: Schedule, zone = 'America/El_Salvador', date = '2026-06-01', now = LONG_AGO) =>
  freeSlots(schedule, localDay(zone, date), now).map((slot) => slot.startTime);

describe('an ordinary day', () => {
  test('slots fill the range in steps of the consultation', () => {
    expect(names(plain)).toEqual(['08:00', '08:30', '09:00', '09:30']);
  });
  test('the buffer widens the step, and a slot must end within the range', () => {
    expect(names({ ...plain, bufferMinutes: 15 })).toEqual(['08:00', '08:45', '09:30']);
    expect(names({ ...plain, consultationMinutes: 50 })).toEqual(['08:00', '08:50']);
  });
  test('slots of each range start at its beginning', () => {
    const hours = [
      { start_time: '14:10', end_time: '15:10' },
      { start_time: '08:00', end_time: '09:00' },
    ];
    expect(names({ ...plain, hours })).toEqual(['08:00', '08:30', '14:10', '14:40']);
  });
  test('a break removes the slots that it overlaps and shifts no others', () => {
    expect(names({ ...plain, breaks: [{ start_time: '08:45', end_time: '09:00' }] })).toEqual(['08:00', '09:00', '09:30']);
  });
  test('a day of a vacation has no slots', () => {
    expect(names({ ...plain, onVacation: true })).toEqual([]);
  });
  test('past slots are not free, including one that starts now', () => {
    const nine = Date.parse('2026-06-01T15:00:00Z');
    expect(names(plain, 'America/El_Salvador', '2026-06-01', nine)).toEqual(['09:30']);
  });
  test('an appointment also occupies its buffer', () => {
    const start = Date.parse('2026-06-01T14:30:00Z');
    const busy = [{ start, end: start + 45 * 60_000 }];
    expect(names({ ...plain, bufferMinutes: 15, busy })).toEqual(['09:30']);
  });
});

describe('an appointment of another length', () => {
  test('starts on the grid and may run over later starts, within its range and before a break', () => {
    expect(names({ ...plain, durationMinutes: 45 })).toEqual(['08:00', '08:30', '09:00']);
    expect(names({ ...plain, durationMinutes: 20 })).toEqual(['08:00', '08:30', '09:00', '09:30']);
    expect(names({ ...plain, durationMinutes: 60, breaks: [{ start_time: '09:15', end_time: '09:30' }] })).toEqual(['08:00']);
    const hours = [...plain.hours, { start_time: '10:00', end_time: '10:30' }];
    expect(names({ ...plain, durationMinutes: 60, hours })).toEqual(['08:00', '08:30', '09:00']);
  });
  test('needs a resource that is free for its whole length', () => {
    const at = (time: string, minutes: number) => ({
      start: Date.parse(`2026-06-01T${time}:00-06:00`),
      end: Date.parse(`2026-06-01T${time}:00-06:00`) + minutes * 60_000,
    });
    const resources = [
      { id: 'a', busy: [at('08:00', 60)] },
      { id: 'b', busy: [at('08:45', 30)] },
    ];
    expect(names({ ...plain, resources })).toEqual(['08:00', '09:00', '09:30']);
    expect(names({ ...plain, resources: [] })).toEqual([]);
  });
});

describe('days on which the clocks change', () => {
  const night = [{ start_time: '00:30', end_time: '04:00' }];
  test('New York, spring: 02:00 to 03:00 does not exist', () => {
    expect(names({ ...plain, hours: night }, 'America/New_York', '2026-03-08')).toEqual(['00:30', '01:00', '01:30', '03:00', '03:30']);
  });
  test('New York, autumn: 01:00 to 02:00 occurs twice and has its slots once', () => {
    const slots = freeSlots({ ...plain, hours: night }, localDay('America/New_York', '2026-11-01'), LONG_AGO);
    expect(slots.map((slot) => slot.startTime)).toEqual(['00:30', '01:00', '01:30', '02:00', '02:30', '03:00', '03:30']);
    expect(new Date(slots[1]?.start ?? 0).toISOString()).toBe('2026-11-01T05:00:00.000Z');
    expect(new Date(slots[3]?.start ?? 0).toISOString()).toBe('2026-11-01T07:00:00.000Z');
  });
  test('hours after the change have the right local times', () => {
    const [first] = freeSlots({ ...plain, hours: [{ start_time: '09:00', end_time: '10:00' }] }, localDay('America/New_York', '2026-03-08'), LONG_AGO);
    expect(new Date(first?.start ?? 0).toISOString()).toBe('2026-03-08T13:00:00.000Z');
  });
  test('a day in Kathmandu starts at 18:15 UTC', () => {
    const [first] = freeSlots(plain, localDay('Asia/Kathmandu', '2026-06-01'), LONG_AGO);
    expect(new Date(first?.start ?? 0).toISOString()).toBe('2026-06-01T02:15:00.000Z');
  });
  test('a minute that the clocks skip cannot be booked outside of hours', () => {
    expect(decideBooking(plain, localDay('America/New_York', '2026-03-08'), '02:30', LONG_AGO, true)).toEqual({ refused: 'SLOT_UNAVAILABLE' });
  });
});

describe('the month of a day', () => {
  test.each([
    ['a hold that reaches into an appointment of the next day', 'America/El_Salvador', '2026-06-01', '2026-06-02T06:00:00Z'],
    ['an appointment in the last hour of a day on which the clocks go back', 'America/New_York', '2026-11-01', '2026-11-02T04:30:00Z'],
  ])('has the same free slots: %s', (_name, zone, date, start) => {
    const taken = { start: Date.parse(start), end: Date.parse(start) + 45 * 60_000 };
    const schedule = { ...plain, bufferMinutes: 15, hours: [{ start_time: '22:00', end_time: '24:00' }] };
    const weekly = { ...schedule, hours: schedule.hours.map((hours) => ({ ...hours, day_of_week: localDay(zone, date).weekday })), breaks: [], vacations: [] };
    for (const busy of [{ busy: [taken] }, { resources: [{ id: 'a', busy: [taken] }] }]) {
      const day = freeByDay(date.slice(0, 7), { ...weekly, ...busy }, zone, LONG_AGO).find((one) => one.date === date);
      expect(day?.times).toEqual(names({ ...schedule, ...busy }, zone, date));
      expect(day?.times).not.toContain('23:30');
    }
  });
});

const zoneAndDate = fc.constantFrom(
  ['America/El_Salvador', '2026-06-01'],
  ['America/New_York', '2026-03-08'],
  ['America/New_York', '2026-11-01'],
  ['Asia/Kathmandu', '2026-06-01'],
  ['Australia/Lord_Howe', '2026-04-05'],
  ['America/Santiago', '2026-09-06'],
) as fc.Arbitrary<[string, string]>;
const range = fc
  .tuple(fc.integer({ min: 0, max: 1430 }), fc.integer({ min: 5, max: 600 }))
  .map(([start, length]) => ({ start_time: timeOf(start), end_time: timeOf(Math.min(start + length, 1439)) }))
  .filter(({ start_time, end_time }) => end_time > start_time);
const busy = (zone: string, date: string) =>
  fc.array(
    fc.tuple(fc.integer({ min: -60, max: 1500 }), fc.integer({ min: 5, max: 180 })).map(([start, length]) => {
      const begin = localDay(zone, date).start + start * 60_000;
      return { start: begin, end: begin + length * 60_000 };
    }),
    { maxLength: 6 },
  );
const schedule = (zone: string, date: string): fc.Arbitrary<Schedule> =>
  fc.record({
    consultationMinutes: fc.integer({ min: 5, max: 120 }),
    bufferMinutes: fc.integer({ min: 0, max: 60 }),
    hours: fc.array(range, { maxLength: 3 }),
    breaks: fc.array(range, { maxLength: 2 }),
    onVacation: fc.constant(false),
    busy: busy(zone, date),
    durationMinutes: fc.option(fc.integer({ min: 5, max: 480 }), { nil: undefined }),
    resources: fc.option(fc.array(fc.record({ id: fc.uuid(), busy: busy(zone, date) }), { maxLength: 3 }), { nil: undefined }),
  });
const anyDay = zoneAndDate.chain(([zone, date]) => fc.tuple(fc.constant(zone), fc.constant(date), schedule(zone, date), fc.integer({ min: -60, max: 1500 })));

describe('for any schedule, on any day', () => {
  test('every listed slot can be booked and every other minute of the day is refused', () => {
    fc.assert(
      fc.property(anyDay, ([zone, date, given, minutes]) => {
        const day = localDay(zone, date);
        const now = day.start + minutes * 60_000;
        const listed = freeSlots(given, day, now).map((slot) => [slot.startTime, slot.start]);
        const bookable = Array.from({ length: 1440 }, (_, minute) => timeOf(minute)).flatMap((time) => {
          const decision = decideBooking(given, day, time, now, false);
          return 'slot' in decision ? [[time, decision.slot.start]] : [];
        });
        expect(Object.fromEntries(bookable)).toEqual(Object.fromEntries(listed));
      }),
      { numRuns: 60 },
    );
  });
  test('a free slot is in the future, within hours, outside of breaks, and overlaps no appointment', () => {
    fc.assert(
      fc.property(anyDay, ([zone, date, given, minutes]) => {
        const day = localDay(zone, date);
        const now = day.start + minutes * 60_000;
        const within = (ranges: Schedule['hours']) => ranges.map((one) => ({ start: day.at(minutesOf(one.start_time)), end: day.at(minutesOf(one.end_time)) }));
        for (const slot of freeSlots(given, day, now)) {
          expect(slot.start).toBeGreaterThan(now);
          expect(within(given.hours).some((hours) => slot.start >= hours.start && slot.end <= hours.end)).toBe(true);
          expect(isFree({ start: slot.start, end: slot.end }, within(given.breaks))).toBe(true);
          expect(isFree(slot.hold, given.busy)).toBe(true);
          expect(slot.end - slot.start).toBe((given.durationMinutes ?? given.consultationMinutes) * 60_000);
          if (given.resources) expect(given.resources.some((resource) => isFree(slot.hold, resource.busy))).toBe(true);
          expect(DateTime.fromMillis(slot.start, { zone }).toFormat('yyyy-MM-dd HH:mm')).toBe(`${date} ${slot.startTime}`);
        }
      }),
      { numRuns: 300 },
    );
  });
  test('start times are unique', () => {
    fc.assert(
      fc.property(anyDay, ([zone, date, given]) => {
        const offered = offeredSlots(given, localDay(zone, date)).map((slot) => slot.startTime);
        expect(new Set(offered).size).toBe(offered.length);
      }),
    );
  });
});
