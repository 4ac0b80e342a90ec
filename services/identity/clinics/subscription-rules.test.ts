// Changes of a subscription by an operator.
import { expect, test } from '@jest/globals';
import { changeSubscription } from './subscription-rules.ts';

const now = new Date('2026-06-01T14:00:00Z');
const day = (days: number) => new Date(now.getTime() + days * 86_400_000);

test.each([
  ['an empty change keeps plan and expiry', { plan: 'pro', expiresAt: day(3) }, {}, { plan: 'pro', expiresAt: day(3) }],
  ['another plan keeps the expiry', { plan: 'pro', expiresAt: day(3) }, { plan: 'clinica' }, { plan: 'clinica', expiresAt: day(3) }],
  ['a plan for an expired clinic lasts 30 days', { plan: 'pro', expiresAt: day(-3) }, { plan: 'basic' }, { plan: 'basic', expiresAt: day(30) }],
  ['so does the same plan again', { plan: 'pro', expiresAt: now }, { plan: 'pro' }, { plan: 'pro', expiresAt: day(30) }],
  [
    'a plan for an expired clinic lasts the given days',
    { plan: 'pro', expiresAt: day(-3) },
    { plan: 'pro', expiresInDays: 0 },
    { plan: 'pro', expiresAt: now },
  ],
  ['without a plan, an expired clinic remains expired', { plan: 'pro', expiresAt: day(-3) }, {}, { plan: 'pro', expiresAt: day(-3) }],
  ['days count from today, not from the expiry', { plan: 'pro', expiresAt: day(20) }, { expiresInDays: 10 }, { plan: 'pro', expiresAt: day(10) }],
  ['0 days expire at once', { plan: 'pro', expiresAt: day(20) }, { expiresInDays: 0 }, { plan: 'pro', expiresAt: now }],
  [
    'forever_free clears the expiry and ignores days',
    { plan: 'pro', expiresAt: day(3) },
    { plan: 'forever_free', expiresInDays: 5 },
    { plan: 'forever_free', expiresAt: null },
  ],
  ['days of forever_free are ignored', { plan: 'forever_free', expiresAt: null }, { expiresInDays: 5 }, { plan: 'forever_free', expiresAt: null }],
  ['a plan after forever_free lasts 30 days', { plan: 'forever_free', expiresAt: null }, { plan: 'basic' }, { plan: 'basic', expiresAt: day(30) }],
  [
    'a plan after forever_free lasts the given days',
    { plan: 'forever_free', expiresAt: null },
    { plan: 'basic', expiresInDays: 0 },
    { plan: 'basic', expiresAt: now },
  ],
] as const)('%s', (_name, current, change, expected) => {
  expect(changeSubscription(current, change, now)).toEqual(expected);
});
