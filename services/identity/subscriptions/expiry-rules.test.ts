import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { daysLeft } from './expiry-rules.ts';

const NOW = new Date('2026-06-01T14:00:00Z');
const DAY_MS = 24 * 3_600_000;

test.each([
  [1, 1],
  [DAY_MS, 1],
  [DAY_MS + 1, 2],
  [0, 0],
  [-5 * DAY_MS, 0],
])('%d ms are %d days', (ms, days) => expect(daysLeft(new Date(NOW.getTime() + ms), NOW)).toBe(days));

test('a subscription without an expiry has no days left', () => expect(daysLeft(null, NOW)).toBeUndefined());

test('0 days are left exactly if it has expired', () => {
  fc.assert(fc.property(fc.integer({ min: -400 * DAY_MS, max: 400 * DAY_MS }), (ms) => (daysLeft(new Date(NOW.getTime() + ms), NOW) === 0) === ms <= 0));
});
