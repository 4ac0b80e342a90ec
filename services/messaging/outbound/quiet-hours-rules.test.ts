import { expect, test } from '@jest/globals';
import { DateTime } from 'luxon';
import { endOfQuietHours } from './quiet-hours-rules.ts';

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
