// What follows of a payment plan for each day: what is owed and since when, and whose work a payment was for.

/** `cents` may be negative: what a payment takes off. */
export type ReceivableLine = { date: string; due_date: string; cents: bigint };
export type Instalment = { due_date: string; cents: bigint };
export type PaymentOnDay = { payment_id: string; cents: bigint; paid_at: Date; date: string };

/** Due on no day: a plan without instalments. */
export const NEVER_DUE = '9999-12-31';

/**
 * What a plan adds to what is owed, by day and due day. Payments fill the first instalments first. A cancelled plan owes
 * nothing; one that somebody has set paid owes what was paid, so that it owes nothing in the end.
 */
export function receivableLines(
  plan: { status: string; total_cents: bigint; opened_on: string },
  instalments: Instalment[],
  payments: PaymentOnDay[],
): ReceivableLine[] {
  if (plan.status === 'cancelled') return [];
  const paid = payments.reduce((sum, { cents }) => sum + cents, 0n);
  const owed = parts(instalments, plan.status === 'paid' ? paid : plan.total_cents);
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

/** The instalments as far as the sum reaches; what lies beyond them is due on no day. */
function parts(instalments: Instalment[], sum: bigint): Instalment[] {
  let left = sum;
  const within: Instalment[] = [];
  for (const { due_date, cents } of [...instalments, { due_date: NEVER_DUE, cents: sum }]) {
    const part = smaller(cents, left);
    if (part > 0n) within.push({ due_date, cents: part });
    left -= part;
  }
  return within;
}

const smaller = (one: bigint, other: bigint) => (one - other < 0n ? one : other);

export type Priced = { procedure: string; cents: bigint };
export type TreatedIn = { id: string; doctor_id: string; starts_at: Date };

/** A payment shared among the procedures of its treatment by their prices, to the cent; all of it is '' when there are none. */
export function shareOut(cents: bigint, steps: Priced[]): Priced[] {
  const prices = new Map<string, bigint>();
  for (const step of steps) if (step.cents > 0n) prices.set(step.procedure, (prices.get(step.procedure) ?? 0n) + step.cents);
  const total = [...prices.values()].reduce((sum, price) => sum + price, 0n);
  if (total === 0n) return [{ procedure: '', cents }];
  let [reached, given] = [0n, 0n];
  return [...prices]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([procedure, price]) => {
      reached += price;
      const until = (cents * reached + total / 2n) / total;
      const share = { procedure, cents: until - given };
      given = until;
      return share;
    })
    .filter((share) => share.cents > 0n);
}

/** Whose work it was, as commissions decide: the doctor of the latest visit up to the payment, else of the first coming one. */
export function doctorOf(visits: TreatedIn[], paidAt: Date): string | null {
  const distance = ({ starts_at }: TreatedIn) => Math.abs(starts_at.getTime() - paidAt.getTime());
  const before = ({ starts_at }: TreatedIn) => (starts_at <= paidAt ? 0 : 1);
  const [nearest] = visits.toSorted((a, b) => before(a) - before(b) || distance(a) - distance(b) || (a.id < b.id ? -1 : 1));
  return nearest?.doctor_id ?? null;
}
