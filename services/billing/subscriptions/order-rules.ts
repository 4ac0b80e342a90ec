// The state of an order, and until when it pays for its plan while there is no subscription.
import type { OrderFact } from './fact-rules.ts';
import { afterCycle, type Cycle } from './variants-rules.ts';

export type Order = {
  orderId: string;
  status: OrderFact['status'];
  totalCents: number;
  refundedCents: number;
  orderedAt: number;
  refundedAt?: number;
  plan: string | undefined;
  cycle: Cycle;
  paidUntil: number;
};

const DAY_MS = 86_400_000;
/** The provider reports an order at once and retries for some minutes. When its date is older than this, the arrival counts instead. */
const PLAUSIBLE_MS = 7 * DAY_MS;
const CLOCK_SKEW_MS = 3_600_000;

/** The order from its facts, which are sorted as by `timeline`. */
export function orderOf(facts: readonly OrderFact[]): Order | undefined {
  const last = facts.at(-1);
  if (!last) return undefined;
  const refund = facts.findLast(({ status }) => status === 'refunded');
  // A repetition that names another plan or another total changes nothing.
  const bought = facts.find(({ plan }) => plan !== undefined);
  const totalCents = facts.find((fact) => fact.totalCents > 0)?.totalCents ?? 0;
  const cycle = bought?.cycle ?? 'month';
  const orderedAt = Math.min(...facts.map(orderTimeOf));
  return {
    orderId: last.orderId,
    status: refund ? 'refunded' : facts.some(({ status }) => status === 'partially_refunded') ? 'partially_refunded' : 'paid',
    totalCents,
    refundedCents: refund ? totalCents : Math.min(totalCents, Math.max(...facts.map(({ refundedCents }) => refundedCents))),
    orderedAt,
    ...(refund && { refundedAt: Math.min(refund.refundedAt ?? refund.at, refund.receivedAt) }),
    plan: bought?.plan,
    cycle,
    paidUntil: afterCycle(orderedAt, cycle),
  };
}

function orderTimeOf({ createdAt, receivedAt }: OrderFact): number {
  const plausible = createdAt !== undefined && createdAt > receivedAt - PLAUSIBLE_MS && createdAt <= receivedAt + CLOCK_SKEW_MS;
  return plausible ? createdAt : receivedAt;
}
