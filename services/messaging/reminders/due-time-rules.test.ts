import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { DateTime } from 'luxon';
import { decideDue, dueAt, type ReminderKind } from './due-time-rules.ts';

const ZONE = 'America/El_Salvador';
const QUIET = { quiet_from: '21:00', quiet_until: '07:00' };
const at = (local: string, zone = ZONE) => DateTime.fromISO(local, { zone }).toJSDate();
const local = (date: Date | undefined, zone = ZONE) => date && DateTime.fromJSDate(date, { zone }).toFormat("yyyy-MM-dd'T'HH:mm");
const LONG_BEFORE = at('2026-05-01T10:00');

describe('when a reminder is due', () => {
  const due = (kind: ReminderKind, starts: string, booked = LONG_BEFORE, quiet = QUIET) => local(dueAt(kind, at(starts), booked, ZONE, quiet));

  test.each<[string, ReminderKind, string, string]>([
    ['a day before', 'day', '2026-06-02T10:00', '2026-06-01T10:00'],
    ['two hours before', 'hours', '2026-06-02T10:00', '2026-06-02T08:00'],
    ['at the end of the quiet hours', 'hours', '2026-06-02T09:00', '2026-06-02T07:00'],
    ['the evening before an early appointment', 'hours', '2026-06-02T08:30', '2026-06-01T20:30'],
    ['the evening of a late appointment', 'hours', '2026-06-02T23:30', '2026-06-02T20:30'],
    ['in the morning, a day before a very early appointment', 'day', '2026-06-02T06:00', '2026-06-01T07:00'],
    ['in the morning of a very late appointment', 'day', '2026-06-02T22:00', '2026-06-02T07:00'],
  ])('%s', (_name, kind, starts, wanted) => expect(due(kind, starts)).toBe(wanted));

  test.each<[string, string, string]>([
    ['less than twelve hours later, in the morning', '2026-06-02T20:30', '2026-06-02T08:00'],
    ['twelve hours later, in the evening before', '2026-06-02T20:00', '2026-06-01T17:30'],
    ['more than twelve hours later, in the evening before', '2026-06-02T18:00', '2026-06-01T17:30'],
  ])('the one of the day before, if long quiet hours end %s', (_name, starts, wanted) =>
    expect(due('day', starts, LONG_BEFORE, { quiet_from: '18:00', quiet_until: '08:00' })).toBe(wanted),
  );

  test('none for appointments booked less than an hour before it would be due', () => {
    const starts = '2026-06-02T10:00';
    expect(due('hours', starts, at('2026-06-02T07:00'))).toBe('2026-06-02T08:00');
    expect(due('hours', starts, at('2026-06-02T07:01'))).toBeUndefined();
    expect(due('hours', starts, at('2026-06-02T09:00'))).toBeUndefined();
    expect(due('day', starts, at('2026-06-01T09:30'))).toBeUndefined();
    expect(due('day', starts, at('2026-06-01T09:00'))).toBe('2026-06-01T10:00');
  });

  test('a clinic may have different quiet hours, or none', () => {
    expect(due('hours', '2026-06-02T16:00', LONG_BEFORE, { quiet_from: '12:00', quiet_until: '15:00' })).toBe('2026-06-02T11:30');
    expect(due('hours', '2026-06-02T05:00', LONG_BEFORE, { quiet_from: '00:00', quiet_until: '00:00' })).toBe('2026-06-02T03:00');
  });

  test('across a change of the clocks in New York a day is 24 hours, and quiet hours are local time', () => {
    const zone = 'America/New_York';
    const before = at('2026-01-01T10:00');
    expect(local(dueAt('day', at('2026-03-08T10:00', zone), before, zone, QUIET), zone)).toBe('2026-03-07T09:00');
    expect(local(dueAt('day', at('2026-11-01T10:00', zone), before, zone, QUIET), zone)).toBe('2026-10-31T11:00');
    expect(local(dueAt('hours', at('2026-03-08T08:30', zone), before, zone, QUIET), zone)).toBe('2026-03-07T20:30');
    expect(local(dueAt('hours', at('2026-11-01T08:30', zone), before, zone, QUIET), zone)).toBe('2026-10-31T20:30');
  });

  test('a time at which it is sent: not in the quiet hours, before the start, and at least an hour after the booking', () => {
    fc.assert(
      fc.property(
        fc.constantFrom<ReminderKind>('day', 'hours'),
        fc.integer({ min: 0, max: 60 * 24 * 365 }),
        fc.integer({ min: 0, max: 60 * 72 }),
        fc.constantFrom('America/El_Salvador', 'America/New_York', 'Europe/Madrid'),
        fc.constantFrom(QUIET, { quiet_from: '17:00', quiet_until: '09:30' }, { quiet_from: '11:00', quiet_until: '16:00' }),
        (kind, minutes, ahead, zone, quiet) => {
          const startsAt = new Date(Date.UTC(2026, 0, 1) + minutes * 60_000);
          const booked = new Date(startsAt.getTime() - ahead * 60_000);
          const found = dueAt(kind, startsAt, booked, zone, quiet);
          if (!found) return;
          expect(decideDue(kind, startsAt, found, zone, quiet)).toBe('send');
          expect(found.getTime()).toBeLessThan(startsAt.getTime());
          expect(found.getTime() - booked.getTime()).toBeGreaterThanOrEqual(3_600_000);
        },
      ),
    );
  });
});

describe('a late reminder', () => {
  const late = (kind: ReminderKind, starts: string, now: string) => {
    const what = decideDue(kind, at(starts), at(now), ZONE, QUIET);
    return what instanceof Date ? local(what) : what;
  };
  test.each<[ReminderKind, string, string, string]>([
    ['day', '2026-06-02T10:00', '2026-06-01T10:01', 'send'],
    ['day', '2026-06-02T10:00', '2026-06-01T20:59', 'send'],
    ['day', '2026-06-02T20:00', '2026-06-02T06:00', '2026-06-02T07:00'],
    ['day', '2026-06-02T10:00', '2026-06-01T23:00', 'drop'],
    ['hours', '2026-06-02T10:00', '2026-06-02T09:45', 'send'],
    ['hours', '2026-06-02T10:00', '2026-06-02T09:51', 'drop'],
    ['hours', '2026-06-02T10:00', '2026-06-02T11:00', 'drop'],
    ['hours', '2026-06-02T08:30', '2026-06-01T21:05', '2026-06-02T07:00'],
    ['hours', '2026-06-02T07:15', '2026-06-01T21:05', 'drop'],
  ])('%s of %s at %s: %s', (kind, starts, now, wanted) => expect(late(kind, starts, now)).toBe(wanted));
});
