// Instalments of a payment plan: how the total is divided, and which of them the payments cover.
import { DateTime } from 'luxon';

/** `months` later on the same day of the month, or on its last day when the month is shorter. */
const addMonths = (date: string, months: number): string => DateTime.fromISO(date, { zone: 'utc' }).plus({ months }).toISODate() ?? '';

export type Instalment = { number: number; due_date: string; amount_cents: bigint };

/**
 * Instalments of equal cents, the last of which takes the remainder. They are due monthly, the first one `after` months from `start`, on the
 * day of the month of `start` or, in shorter months, on the last day. The total must be at least one cent per instalment.
 */
export function divideIntoInstalments(total: bigint, count: number, start: string, after = 0): Instalment[] {
  const each = total / BigInt(count);
  return Array.from({ length: count }, (_, index) => ({
    number: index + 1,
    due_date: addMonths(start, after + index), // from the start, so that the 31st comes again after a shorter month
    amount_cents: index === count - 1 ? total - each * BigInt(count - 1) : each,
  }));
}

/** The cents of each instalment that payments cover, earliest instalments first. */
export function coverInstalments<I extends Instalment>(instalments: readonly I[], paid: bigint): (I & { covered_cents: bigint })[] {
  let left = paid;
  return instalments.map((instalment) => {
    const covered_cents = smaller(left, instalment.amount_cents);
    left -= covered_cents;
    return { ...instalment, covered_cents };
  });
}

/** Due date of the first instalment, among those due on `from` or later, that is not covered; null when there is none. */
export function nextDue(instalments: readonly Instalment[], paid: bigint, from = ''): string | null {
  const open = coverInstalments(instalments, paid).find(({ covered_cents, amount_cents, due_date }) => covered_cents < amount_cents && due_date >= from);
  return open?.due_date ?? null;
}

const smaller = (one: bigint, other: bigint) => (one - other < 0n ? one : other);
