// Derives lines from a payment plan: receivables by date and due date, and the procedures of each payment.

/** A change of what is owed. `cents` is negative for a payment. */
export type ReceivableLine = { date: string; due_date: string; cents: bigint };
export type Instalment = { due_date: string; cents: bigint };
type PaymentOnDay = { payment_id: string; cents: bigint; paid_at: Date; date: string };

/** The due date of amounts that no instalment covers. */
export const NEVER_DUE = '9999-12-31';

/**
 * What a plan adds to the receivables, by date and due date. Payments settle the earliest instalments first. A cancelled plan has no
 * receivables. A plan that a user has set to paid counts with the sum of its payments, so that its balance is 0.
 */
export function receivableLines(
  plan: { status: string; total_cents: bigint; opened_on: string },
  instalments: Instalment[],
  payments: PaymentOnDay[],
): ReceivableLine[] {
  if (plan.status === 'cancelled') return [];
  const paid = payments.reduce((sum, { cents }) => sum + cents, 0n);
  const owed = dueAmounts(instalments, plan.status === 'paid' ? paid : plan.total_cents);
  const sums = new Map<string, ReceivableLine>();
  const add = (date: string, due_date: string, cents: bigint) => {
    const line = sums.get(`${date} ${due_date}`) ?? { date, due_date, cents: 0n };
    sums.set(`${date} ${due_date}`, { ...line, cents: line.cents + cents });
  };
  for (const { due_date, cents } of owed) add(plan.opened_on, due_date, cents);
  const open = owed.map((part) => ({ ...part }));
  for (const { date, cents } of payments) {
    let left = cents;
    for (const part of open) {
      const taken = smaller(left, part.cents);
      if (taken > 0n) add(date, part.due_date, -taken);
      part.cents -= taken;
      left -= taken;
    }
  }
  return [...sums.values()].filter(({ cents }) => cents !== 0n);
}

/** The instalments up to a sum; the part of the sum that exceeds them is due NEVER_DUE. */
function dueAmounts(instalments: Instalment[], sum: bigint): Instalment[] {
  let left = sum;
  const within: Instalment[] = [];
  for (const { due_date, cents } of [...instalments, { due_date: NEVER_DUE, cents: sum }]) {
    const part = smaller(cents, left);
    if (part > 0n) within.push({ due_date, cents: part });
    left -= part;
  }
  return within;
}

const smaller = (one: bigint, other: bigint) => (one < other ? one : other);

export type Priced = { procedure: string; cents: bigint };

/** Splits a payment among the procedures of its treatment in proportion to their prices; the parts sum to the payment. Without priced steps, all of it has the procedure ''. */
export function splitPayment(cents: bigint, steps: Priced[]): Priced[] {
  const prices = new Map<string, bigint>();
  for (const step of steps) if (step.cents > 0n) prices.set(step.procedure, (prices.get(step.procedure) ?? 0n) + step.cents);
  const total = [...prices.values()].reduce((sum, price) => sum + price, 0n);
  if (total === 0n) return [{ procedure: '', cents }];
  let [reached, allotted] = [0n, 0n];
  return [...prices]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([procedure, price]) => {
      reached += price;
      const until = (cents * reached + total / 2n) / total;
      const share = { procedure, cents: until - allotted };
      allotted = until;
      return share;
    })
    .filter((share) => share.cents > 0n);
}
