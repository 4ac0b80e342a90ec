// What a clinic has paid for, over all its orders and subscriptions: a fold of facts that come late, twice and in any order.
import type { Fact, InvoiceFact, OrderFact, SubscriptionFact } from './fact-rules.ts';
import { type Order, orderOf } from './order-rules.ts';
import { type Grant, grantOf } from './subscription-rules.ts';
import { timeline } from './timeline-rules.ts';

export type Access = Pick<Grant, 'plan' | 'expiresAt' | 'status'>;

/** Undefined while nothing says what was bought. */
export function accessOf(facts: readonly Fact[], graceDays: number): Access | undefined {
  const ordered = timeline(facts);
  const orders = ordersOf(ordered);
  const subscriptions = Map.groupBy(
    ordered.filter((fact): fact is SubscriptionFact | InvoiceFact => fact.kind !== 'order'),
    ({ subscriptionId }) => subscriptionId,
  );
  const named = new Set([...subscriptions.values()].map(orderNamedBy));
  const strays = [...orders.values()].filter(({ orderId }) => !named.has(orderId));
  const grants: Grant[] = [];
  for (const own of subscriptions.values()) {
    const order = orders.get(orderNamedBy(own) ?? '') ?? takeStray(strays, own);
    const grant = grantOf(own, order, graceDays);
    if (grant) grants.push(grant);
    else if (order) grants.push(...provisionalGrant(order));
  }
  return best([...grants, ...strays.flatMap(provisionalGrant)]);
}

type Own = readonly (SubscriptionFact | InvoiceFact)[];

/** The provider's id of the order that a subscription says it came from. */
function orderNamedBy(own: Own): string | undefined {
  return own
    .filter((fact) => fact.kind === 'subscription')
    .map(({ orderId }) => orderId)
    .findLast((orderId) => orderId !== undefined);
}

const SAME_PURCHASE_MS = 86_400_000;

/**
 * A subscription that names no order belongs to the order placed nearest to its creation. An order placed after the
 * subscription ended is a new purchase and never belongs to it. Only the provider's dates count, so late events change nothing.
 */
function takeStray(strays: Order[], own: Own): Order | undefined {
  if (orderNamedBy(own) !== undefined) return undefined;
  const createdAt = Math.min(...own.flatMap((fact) => (fact.kind === 'subscription' ? (fact.createdAt ?? []) : [])));
  const endedAt = Math.min(...own.flatMap(endOf));
  const distance = ({ orderedAt }: Order) => Math.abs(orderedAt - createdAt);
  const [nearest] = strays.filter((order) => order.orderedAt <= endedAt && distance(order) <= SAME_PURCHASE_MS).sort((a, b) => distance(a) - distance(b));
  if (nearest) strays.splice(strays.indexOf(nearest), 1);
  return nearest;
}

/** When the subscription ended by this fact. Cancelled and paused count too, though such a subscription may run on: nobody buys it after that. */
function endOf(fact: SubscriptionFact | InvoiceFact): number | [] {
  if (fact.kind === 'invoice') return fact.outcome === 'refunded' ? fact.at : [];
  switch (fact.status) {
    case 'on_trial':
    case 'active':
    case 'past_due':
      return [];
    case 'paused':
    case 'cancelled':
    case 'unpaid':
    case 'expired':
      return Math.min(fact.at, fact.endsAt ?? fact.at);
  }
}

/** The orders among facts in the order of the timeline. */
export function ordersOf(ordered: readonly Fact[]): Map<string, Order> {
  const byId = Map.groupBy(
    ordered.filter((fact): fact is OrderFact => fact.kind === 'order'),
    ({ orderId }) => orderId,
  );
  return new Map([...byId.values()].flatMap((own) => orderOf(own) ?? []).map((order) => [order.orderId, order]));
}

function provisionalGrant({ plan, orderedAt, paidUntil, refundedAt }: Order): Grant[] {
  if (plan === undefined) return [];
  if (refundedAt !== undefined) return [{ plan, startedAt: orderedAt, expiresAt: refundedAt, status: 'ended' }];
  return [{ plan, startedAt: orderedAt, expiresAt: paidUntil, status: 'provisional' }];
}

/** What runs goes before what was cancelled, and that before what has ended. */
const CLASS: Record<Grant['status'], number> = { provisional: 2, active: 2, past_due: 2, paused: 2, cancelled: 1, ended: 0 };

/** The newest of what runs; of what does not run any more, the one that lasts longest. Of one plan the later expiry holds. */
function best(grants: Grant[]): Access | undefined {
  const top = Math.max(...grants.map(({ status }) => CLASS[status]));
  const rivals = grants
    .filter(({ status }) => CLASS[status] === top)
    .sort((a, b) => (top === 2 ? b.startedAt - a.startedAt : 0) || b.expiresAt - a.expiresAt || order(a, b));
  const [winner] = rivals;
  if (!winner) return undefined;
  const expiresAt = Math.max(...rivals.filter(({ plan }) => plan === winner.plan).map((grant) => grant.expiresAt));
  return { plan: winner.plan, status: winner.status, expiresAt };
}

const order = (a: Grant, b: Grant) => (`${a.plan}${a.status}` < `${b.plan}${b.status}` ? -1 : 1);
