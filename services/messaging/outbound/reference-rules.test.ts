import { describe, expect, test } from '@jest/globals';
import { decodeReference, encodeReference, type Reference, referencesOf } from './reference-rules.ts';

const references: [Reference, string][] = [
  [{ kind: 'appointment_notice', appointmentId: 'a', revision: '3', change: 'moved' }, 'a/3/moved'],
  [{ kind: 'appointment_reminder', appointmentId: 'a', reminder: 'day', revision: '1' }, 'a/day/1'],
  [{ kind: 'payment_reminder', paymentPlanId: 'p', month: '2026-06' }, 'p/2026-06'],
  [{ kind: 'recall', contactId: 'c' }, 'c'],
  [{ kind: 'waitlist', entryId: 'e', offerId: 'o' }, 'e/o'],
];

describe('a reference', () => {
  test.each(references)('%j is encoded as %s and decoded', (reference, stored) => {
    expect(encodeReference(reference)).toBe(stored);
    expect(decodeReference(reference.kind, stored)).toEqual(reference);
  });

  test.each([
    ['reply', 'a/b'],
    ['recall', null],
    ['waitlist', 'e'],
    ['toString', 'a'],
  ])('of kind %s that is %s is none', (kind, stored) => {
    expect(decodeReference(kind, stored)).toBeUndefined();
  });
});

test('the references of an appointment’s notices are a range', () => {
  const { from, to } = referencesOf('a');
  expect(['a/1/moved', 'a/12/cancelled'].every((stored) => stored > from && stored < to)).toBe(true);
  expect(['Z/1/moved', 'b/1/moved'].some((stored) => stored > from && stored < to)).toBe(false);
});
