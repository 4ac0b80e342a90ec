// The state machine of one subscription: applies its facts in the order of the timeline and yields until when it is paid for.
import type { InvoiceFact, Subscribed, SubscriptionFact } from './fact-rules.ts';
import type { Order } from './order-rules.ts';
import { afterCycle, type Cycle } from './variants-rules.ts';

/** What one order or subscription grants. */
export type Grant = {
  plan: string;
  expiresAt: number;
  /** provisional: from an order alone. ended: expired, unpaid or refunded. */
  status: 'provisional' | 'active' | 'past_due' | 'paused' | 'cancelled' | 'ended';
  startedAt: number;
};

const DAY_MS = 86_400_000;

type State = {
  status: Subscribed;
  /** Since when the subscription has had this status. */
  since: number;
  paidUntil?: number;
  last: SubscriptionFact;
  cycle: Cycle;
};

/** Undefined while no fact says what was bought. `order` is the order that created the subscription. */
export function grantOf(facts: readonly (SubscriptionFact | InvoiceFact)[], order: Order | undefined, graceDays: number): Grant | undefined {
  const known = facts.filter((fact) => fact.kind === 'subscription');
  const [first] = known;
  const bought = known.findLast((fact) => fact.plan !== undefined) ?? order;
  if (!first || bought?.plan === undefined) return undefined;
  const { plan, cycle = 'month' } = bought;
  const startedAt = Math.min(...known.map(({ createdAt, at }) => createdAt ?? at));
  const state = facts.reduce(step, { status: first.status, since: Math.min(first.at, first.receivedAt), last: first, cycle } as State);
  const refund = refundOf(facts, order?.refundedAt);
  if (refund !== undefined) return { plan, expiresAt: refund, status: 'ended', startedAt };
  return { plan, startedAt, ...accessOf(state, startedAt, order, graceDays) };
}

const step = (state: State, fact: SubscriptionFact | InvoiceFact): State =>
  fact.kind === 'subscription' ? applyReport(state, fact) : applyInvoice(state, fact);

/** Applies a report of the whole subscription. */
function applyReport(state: State, fact: SubscriptionFact): State {
  const until = renewalOf(state, fact);
  return {
    ...changeStatus(state, fact.status, fact),
    last: fact,
    ...(until !== undefined && isUsable(until, state.paidUntil, fact) && { paidUntil: until }),
  };
}

/** While a payment is retried, renews_at is only the date of the next attempt; during a pause it moves on without a payment. */
function renewalOf({ status, last }: State, fact: SubscriptionFact): number | undefined {
  switch (fact.status) {
    case 'on_trial':
      return fact.trialEndsAt ?? fact.renewsAt;
    case 'active':
      return fact.renewsAt;
    case 'paused':
      return status === 'active' || status === 'on_trial' || fact.at === last.at ? fact.renewsAt : undefined;
    default:
      return undefined;
  }
}

/** A renewal date that was past when it was reported is ignored; one that is past when it arrives never shortens what is paid for. */
function isUsable(until: number, known: number | undefined, { at, receivedAt }: SubscriptionFact): boolean {
  return until > at && (until > receivedAt || until > (known ?? 0));
}

/** A payment adds a cycle unless the subscription was already reported as renewed; a failed payment starts the days of grace. */
function applyInvoice(state: State, fact: InvoiceFact): State {
  const { status, paidUntil } = state;
  if (fact.outcome === 'failed') return status === 'active' || status === 'on_trial' ? changeStatus(state, 'past_due', fact) : state;
  if (fact.outcome === 'refunded') return state;
  const paid = paidUntil !== undefined && paidUntil > fact.at + DAY_MS ? paidUntil : afterCycle(fact.at, state.cycle);
  return { ...(status === 'past_due' || status === 'unpaid' ? changeStatus(state, 'active', fact) : state), paidUntil: paid };
}

function changeStatus(state: State, status: Subscribed, { at, receivedAt }: { at: number; receivedAt: number }): State {
  return state.status === status ? state : { ...state, status, since: Math.min(at, receivedAt) };
}

function accessOf(
  { status, since, paidUntil, last, cycle }: State,
  startedAt: number,
  order: Order | undefined,
  graceDays: number,
): Pick<Grant, 'expiresAt' | 'status'> {
  const known = paidUntil ?? order?.paidUntil;
  switch (status) {
    case 'on_trial':
    case 'active':
      return { status: 'active', expiresAt: paidUntil ?? afterCycle(startedAt, cycle) };
    case 'past_due':
      return { status: 'past_due', expiresAt: Math.max(known ?? since, since + graceDays * DAY_MS) };
    case 'paused': {
      const paid = last.endsAt ?? known ?? afterCycle(startedAt, cycle);
      return { status: 'paused', expiresAt: last.pausedFree ? Math.max(paid, last.resumesAt ?? paid) : paid };
    }
    case 'cancelled':
      return { status: 'cancelled', expiresAt: last.endsAt ?? known ?? since };
    case 'unpaid':
    case 'expired':
      return { status: 'ended', expiresAt: Math.min(last.endsAt ?? since, since) };
  }
}

/** When everything was refunded: the order, unless a payment followed, or else the newest payment. */
function refundOf(facts: readonly (SubscriptionFact | InvoiceFact)[], orderRefundedAt: number | undefined): number | undefined {
  const invoices = facts.filter((fact) => fact.kind === 'invoice' && fact.outcome !== 'failed') as InvoiceFact[];
  if (orderRefundedAt !== undefined && !invoices.some(({ outcome, at }) => outcome === 'paid' && at > orderRefundedAt)) return orderRefundedAt;
  const newest = Math.max(...invoices.map(billedAt));
  const refund = invoices.find((one) => one.outcome === 'refunded' && billedAt(one) === newest);
  return refund && Math.min(refund.at, refund.receivedAt);
}

const billedAt = ({ createdAt, at }: InvoiceFact) => createdAt ?? at;
