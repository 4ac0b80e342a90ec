import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { DateTime } from 'luxon';
import { endOfQuietHours, type QuietHours, quietHoursAt } from './quiet-hours-rules.ts';

const ZONE = 'America/El_Salvador';
const at = (local: string, zone = ZONE) => DateTime.fromISO(local, { zone }).toJSDate();

test.each<[string, string, string | null, string | undefined]>([
  ['in the evening until the morning', '2026-06-01T23:10', null, '2026-06-02T07:00'],
  ['before dawn', '2026-06-02T06:59', null, '2026-06-02T07:00'],
  ['not by day', '2026-06-01T12:00', null, undefined],
  ['when there is time for that', '2026-06-01T22:00', '2026-06-02T10:00', '2026-06-02T07:00'],
  ['not when it is needed before', '2026-06-01T22:00', '2026-06-02T06:30', undefined],
  ['not when it is needed within an hour of the morning', '2026-06-01T22:00', '2026-06-02T07:30', undefined],
])('a message is held %s', (_name, now, neededBy, until) => {
  const end = endOfQuietHours(at(now), neededBy === null ? null : at(neededBy), ZONE, { quiet_from: '21:00', quiet_until: '07:00' });
  expect(end).toEqual(until && at(until));
});

test('equal times mean that there are no quiet hours', () => {
  expect(endOfQuietHours(at('2026-06-02T00:00'), null, ZONE, { quiet_from: '00:00', quiet_until: '00:00' })).toBeUndefined();
});

test.each([
  ['the night of a change of the clocks in spring', '2026-03-08T01:30', '2026-03-08T07:00'],
  ['and in autumn', '2026-10-31T23:30', '2026-11-01T07:00'],
])('quiet hours are local time: %s', (_name, now, until) => {
  const zone = 'America/New_York';
  expect(endOfQuietHours(at(now, zone), null, zone, { quiet_from: '21:00', quiet_until: '07:00' })).toEqual(at(until, zone));
});

/** The quiet hours of an instant by definition: those that begin on the previous day or the same day and contain it. */
function quietHoursByDefinition(at: Date, zone: string, { quiet_from: from, quiet_until: until }: QuietHours) {
  if (from === until) return undefined;
  const local = DateTime.fromJSDate(at, { zone });
  const on = (day: DateTime, time: string) => day.set({ hour: Number(time.slice(0, 2)), minute: Number(time.slice(3, 5)), second: 0, millisecond: 0 });
  for (const days of [-1, 0]) {
    const begin = on(local.plus({ days }), from);
    const end = on(from < until ? local.plus({ days }) : local.plus({ days: days + 1 }), until);
    if (begin <= local && local < end) return { begin: begin.toJSDate(), end: end.toJSDate() };
  }
  return undefined;
}

test('the quiet hours of any instant match the definition, except near changes of the clocks', () => {
  const pad = (value: number) => String(value).padStart(2, '0');
  const time = fc.tuple(fc.integer({ min: 0, max: 23 }), fc.integer({ min: 0, max: 59 })).map(([hour, minute]) => `${pad(hour)}:${pad(minute)}`);
  const zones = fc.constantFrom(ZONE, 'America/New_York', 'Europe/Madrid', 'Asia/Kathmandu', 'Australia/Lord_Howe', 'Pacific/Kiritimati', 'UTC');
  const instants = fc.integer({ min: Date.UTC(2024, 0), max: Date.UTC(2029, 0) }).map((ms) => new Date(ms));
  const hasSteadyClock = (instant: Date, zone: string) => {
    const local = DateTime.fromJSDate(instant, { zone });
    return local.minus({ days: 2 }).offset === local.plus({ days: 2 }).offset;
  };
  fc.assert(
    fc.property(instants, zones, time, time, fc.boolean(), (instant, zone, quiet_from, quiet_until, onTheMinute) => {
      fc.pre(hasSteadyClock(instant, zone));
      const quiet = { quiet_from, quiet_until };
      const given = [onTheMinute ? DateTime.fromJSDate(instant).startOf('minute').toJSDate() : instant];
      // Also at the exact begin and end.
      const hours = quietHoursByDefinition(instant, zone, quiet);
      if (hours) given.push(hours.begin, hours.end);
      for (const one of given) expect(quietHoursAt(one, zone, quiet)).toEqual(quietHoursByDefinition(one, zone, quiet));
    }),
    { numRuns: 2_000 },
  );
});
