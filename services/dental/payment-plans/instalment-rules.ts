// How a sum is divided over months, and how far payments reach into it.
import { addMonths } from '../clinics/clinic-date-rules.ts';

export type Instalment = { number: number; due_date: string; amount_cents: bigint };

/** Equal cents a month from `firstDue` on; the last one takes the rest. The total must be at least one cent an instalment. */
export function divideIntoInstalments(total: bigint, count: number, firstDue: string): Instalment[] {
  const each = total / BigInt(count);
  return Array.from({ length: count }, (_, index) => ({
    number: index + 1,
    due_date: addMonths(firstDue, index), // from the first day each time, so that the 31st comes back after February
    amount_cents: index === count - 1 ? total - each * BigInt(count - 1) : each,
  }));
}

/** How much of each instalment is covered: payments fill the first ones first. */
export function coverInstalments<I extends Instalment>(instalments: readonly I[], paid: bigint): (I & { covered_cents: bigint })[] {
  let left = paid;
  return instalments.map((instalment) => {
    const covered_cents = smaller(left, instalment.amount_cents);
    left -= covered_cents;
    return { ...instalment, covered_cents };
  });
}

/** Day of the first instalment that is not covered, of those due on `from` or later; null when there is none. */
export function nextDue(instalments: readonly Instalment[], paid: bigint, from = ''): string | null {
  const open = coverInstalments(instalments, paid).find(({ covered_cents, amount_cents, due_date }) => covered_cents < amount_cents && due_date >= from);
  return open?.due_date ?? null;
}

const smaller = (one: bigint, other: bigint) => (one - other < 0n ? one : other);
