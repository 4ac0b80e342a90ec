import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { appointmentNear, commissionOf } from './commission-rules.ts';

test.each([
  ['the latest one up to the payment', { a: -2, b: -1, c: 1 }, 'b'],
  ['also one that starts at the instant of the payment', { a: -1, b: 0, c: 1 }, 'b'],
  ['also when one after it is nearer', { a: -3, b: 1 }, 'a'],
  ['or else the first one after it', { a: 2, b: 1, c: 3 }, 'b'],
  ['of two at the same time that with the lower id', { b: -1, a: -1, c: -2 }, 'a'],
  ['none without appointments', {}, undefined],
])('a payment is attributed to an appointment: %s', (_name, hours: Record<string, number>, expected) => {
  const paidAt = new Date('2026-06-01T12:00:00Z');
  const appointments = Object.entries(hours).map(([id, hour]) => ({ id, doctor_id: id, starts_at: new Date(paidAt.getTime() + hour * 3_600_000) }));
  expect(appointmentNear(appointments, paidAt)?.id).toBe(expected);
});

test('a percentage of the payment, rounded half up; a fixed amount, at most the payment', () => {
  const percent = (payment: bigint, value: bigint) => commissionOf(payment, { type: 'percentage', value });
  expect([percent(10_000n, 3_000n), percent(333n, 3_333n), percent(1n, 4_999n), percent(1n, 5_000n), percent(9_999n, 0n)]).toEqual([3_000n, 111n, 0n, 1n, 0n]);
  expect([commissionOf(5_000n, { type: 'fixed', value: 1_500n }), commissionOf(1_000n, { type: 'fixed', value: 1_500n })]).toEqual([1_500n, 1_000n]);
});

test('a commission is between 0 and the payment, within half a cent of the exact value', () => {
  fc.assert(
    fc.property(fc.bigInt(1n, 10_000_000_000n), fc.bigInt(0n, 10_000n), (payment, value) => {
      const amount = commissionOf(payment, { type: 'percentage', value });
      expect(amount >= 0n && amount <= payment).toBe(true);
      const off = amount * 10_000n - payment * value;
      expect(off > -5_000n && off <= 5_000n).toBe(true);
    }),
  );
});
