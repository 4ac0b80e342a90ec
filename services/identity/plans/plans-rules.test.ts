// The plan catalogue, compared with the table of the specification.
import { PLANS } from '@clinic/lib/formats/plans.ts';
import { expect, test } from '@jest/globals';
import { FEATURES, featuresOf, termsOf } from './plans-rules.ts';

test.each([
  ['doctors', [2, 8, undefined, 8, undefined]],
  ['users', [1, 1, undefined, 1, undefined]],
] as const)('%s of basic, pro, clinica, trial, forever_free', (limit, expected) => {
  expect(PLANS.map((plan) => termsOf(plan)[limit])).toEqual(expected);
});

const everyone = [true, true, true, true, true];
const notBasic = [false, true, true, true, true];
test.each([
  ['chat_bot', everyone],
  ['calendar_feeds', everyone],
  ['reminders', everyone],
  ['online_booking', everyone],
  ['analytics', notBasic],
  ['csv_export', notBasic],
  ['csv_import', notBasic],
  ['daily_agenda', notBasic],
  ['webhooks', notBasic],
  ['assistant', notBasic],
  ['dte', notBasic],
  ['dental', notBasic],
  ['quick_switching', [false, false, true, false, true]],
] as const)('%s of basic, pro, clinica, trial, forever_free', (feature, expected) => {
  expect(PLANS.map((plan) => featuresOf(plan, []).includes(feature))).toEqual(expected);
});

test('there are no other features and no other plans', () => {
  expect(FEATURES).toHaveLength(13);
  for (const name of ['', 'PRO', 'constructor', '__proto__']) expect(PLANS).not.toContain(name);
});
