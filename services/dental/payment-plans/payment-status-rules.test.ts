// Instalments, and the status of a payment plan.
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { coverInstalments, divideIntoInstalments, nextDue } from './instalment-rules.ts';
import { PAYMENT_STATUSES, statusAfterChange, statusOn, statusSetByUser } from './payment-status-rules.ts';

const total = fc.bigInt({ min: 60n, max: 9_999_999_999n });
const count = fc.integer({ min: 1, max: 60 });

describe('instalments', () => {
  test('add up to the total; all but the last, which takes the remainder, are equal', () => {
    fc.assert(
      fc.property(total, count, (cents, parts) => {
        const amounts = divideIntoInstalments(cents, parts, '2026-01-31').map(({ amount_cents }) => amount_cents);
        expect(amounts.reduce((sum, one) => sum + one, 0n)).toBe(cents);
        expect(new Set(amounts.slice(0, -1)).size).toBeLessThanOrEqual(1);
        expect((amounts.at(-1) ?? 0n) - (amounts[0] ?? 0n)).toBeLessThan(BigInt(parts));
      }),
    );
  });

  test('are due monthly, on the last day of shorter months', () => {
    expect(divideIntoInstalments(400n, 4, '2027-12-31').map(({ due_date }) => due_date)).toEqual(['2027-12-31', '2028-01-31', '2028-02-29', '2028-03-31']);
    expect(divideIntoInstalments(1000n, 3, '2026-01-05').map(({ amount_cents }) => amount_cents)).toEqual([333n, 333n, 334n]);
  });

  test('without a first due date are due from the next month on, on the day of the start or the last day of shorter months', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 20_000 }), count, (days, parts) => {
        const start = new Date(days * 86_400_000);
        const dues = divideIntoInstalments(60n, parts, start.toISOString().slice(0, 10), 1).map(({ due_date }) => due_date);
        const expected = dues.map((_, index) => {
          const lastDay = new Date(Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + index + 2, 0));
          lastDay.setUTCDate(Math.min(lastDay.getUTCDate(), start.getUTCDate()));
          return lastDay.toISOString().slice(0, 10);
        });
        expect(dues).toEqual(expected);
      }),
    );
    expect(divideIntoInstalments(60n, 3, '2027-01-31', 1).map(({ due_date }) => due_date)).toEqual(['2027-02-28', '2027-03-31', '2027-04-30']);
  });

  test('payments cover the first ones first', () => {
    fc.assert(
      fc.property(total, count, fc.double({ min: 0, max: 1, noNaN: true }), (cents, parts, share) => {
        const paid = BigInt(Math.floor(Number(cents) * share));
        const covered = coverInstalments(divideIntoInstalments(cents, parts, '2026-01-31'), paid);
        expect(covered.reduce((sum, one) => sum + one.covered_cents, 0n)).toBe(paid);
        const open = covered.findIndex((one) => one.covered_cents < one.amount_cents);
        expect(covered.slice(open + 1).every((one) => open < 0 || one.covered_cents === 0n)).toBe(true);
        expect(nextDue(covered, paid)).toBe(covered[open]?.due_date ?? null);
      }),
    );
  });
});

describe('status', () => {
  const instalments = divideIntoInstalments(300n, 3, '2026-01-10'); // 10 January, February, March
  const money = (status: (typeof PAYMENT_STATUSES)[number], paid_cents: bigint) => ({ status, total_cents: 300n, paid_cents });

  test.each([
    ['active', 0n, '2026-01-10', 'active'],
    ['active', 0n, '2026-01-11', 'overdue'],
    ['active', 100n, '2026-02-10', 'active'],
    ['active', 199n, '2026-02-11', 'overdue'],
    ['overdue', 200n, '2026-02-11', 'active'],
    ['overdue', 300n, '2026-09-01', 'paid'],
    ['paid', 299n, '2026-03-01', 'active'],
    ['cancelled', 300n, '2026-03-01', 'cancelled'],
    ['cancelled', 0n, '2026-09-01', 'cancelled'],
  ] as const)('%s with %s of 300 cents on %s is %s', (status, paid, today, expected) => {
    expect(statusAfterChange(money(status, paid), instalments, today).status).toBe(expected);
  });

  test('a plan becomes overdue when its due date passes, without a change', () => {
    const { status, next_due_date } = statusAfterChange(money('active', 150n), instalments, '2026-01-20');
    expect([statusOn('2026-02-10', { status, next_due_date }), statusOn('2026-02-11', { status, next_due_date })]).toEqual(['active', 'overdue']);
  });

  test('a plan without instalments is never overdue', () => {
    expect(statusOn('2199-12-31', statusAfterChange(money('active', 0n), [], '2026-01-01'))).toBe('active');
  });

  test('a status set by a user applies, and a plan set active becomes overdue only by a later instalment', () => {
    for (const wanted of PAYMENT_STATUSES) {
      const set = statusSetByUser(wanted, money('overdue', 0n), instalments, '2026-02-20');
      expect(statusOn('2026-02-20', set)).toBe(wanted);
      expect(statusOn('2026-03-11', set)).toBe(wanted === 'active' ? 'overdue' : wanted);
    }
  });
});
