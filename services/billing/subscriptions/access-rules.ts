// What a clinic has paid for, computed from the facts of all its orders and subscriptions. Facts may arrive late, twice and in any order.
import type { Fact, InvoiceFact, OrderFact, SubscriptionFact } from './fact-rules.ts';
import { type Order, orderOf } from './order-rules.ts';
import { type Grant, grantOf } from './subscription-rules.ts';
import { timeline } from './timeline-rules.ts';

export type Access = Pick<Grant, 'plan' | 'expiresAt' | 'status'>;

/** What the clinic has at the instant `at`. Undefined while no fact says what was bought. */
export function accessOf(facts: readonly Fact[], graceDays: number, at: number): Access | undefined {
  const ordered = timeline(facts);
  const orders = ordersOf(ordered);
  const subscriptions = Map.groupBy(
    ordered.filter((fact): fact is SubscriptionFact | InvoiceFact => fact.kind !== 'order'),
    ({ subscriptionId }) => subscriptionId,
  );
  const namedOrders = new Set([...subscriptions.values()].map(namedOrderOf));
  const unclaimed = [...orders.values()].filter(({ orderId }) => !namedOrders.has(orderId));
  const grants: Grant[] = [];
  for (const own of subscriptions.values()) {
    const order = orders.get(namedOrderOf(own) ?? '') ?? claimOrder(unclaimed, own);
    const grant = grantOf(own, order, graceDays);
    if (grant) grants.push(grant);
    else if (order) grants.push(...provisionalGrant(order));
  }
  grants.push(...unclaimed.flatMap(provisionalGrant));
  return lastingAccess(grants, at);
}

/** The best of the grants; after it has expired, the best of those that last longer. */
function lastingAccess(grants: Grant[], at: number): Access | undefined {
  const access = best(grants);
  const longer = access && access.expiresAt <= at ? grants.filter(({ expiresAt }) => expiresAt > access.expiresAt) : [];
  return longer.length > 0 ? lastingAccess(longer, at) : access;
}

/** Whether another purchase still counts when this access, which has not expired at `at`, expires. */
export function isFollowed(facts: readonly Fact[], graceDays: number, { expiresAt }: Access, at: number): boolean {
  const next = expiresAt > at ? accessOf(facts, graceDays, expiresAt) : undefined;
  return next !== undefined && next.expiresAt > expiresAt;
}

type Own = readonly (SubscriptionFact | InvoiceFact)[];

/** The id at the provider of the order that created a subscription, if its facts name one. */
function namedOrderOf(own: Own): string | undefined {
  return own
    .filter((fact) => fact.kind === 'subscription')
    .map(({ orderId }) => orderId)
    .findLast((orderId) => orderId !== undefined);
}

const SAME_PURCHASE_MS = 86_400_000;

/**
 * Assigns an order to a subscription that names none: the order placed nearest to its creation, within a day, which is removed from `unclaimed`. When
 * no fact has its creation, it is the last order before its first report, or else the first one within a day after that. An order placed after the subscription ended is a new purchase
 * and never assigned. Only the provider's dates count, so the arrival of events does not matter.
 */
function claimOrder(unclaimed: Order[], own: Own): Order | undefined {
  const reports = own.filter((fact) => fact.kind === 'subscription');
  if (reports.length === 0 || namedOrderOf(own) !== undefined) return undefined;
  const reportedAt = Math.min(...reports.map(({ at }) => at));
  const createdAt = Math.min(...reports.map(({ createdAt = Number.POSITIVE_INFINITY }) => createdAt));
  const isKnown = Number.isFinite(createdAt);
  const [from, to] = isKnown ? [createdAt, createdAt] : [Number.NEGATIVE_INFINITY, reportedAt];
  const endedAt = Math.min(...own.flatMap(endOf));
  const distance = ({ orderedAt }: Order) => Math.abs(orderedAt - to);
  const isAfterReport = ({ orderedAt }: Order) => !isKnown && orderedAt > to;
  const [nearest] = unclaimed
    .filter(({ orderedAt }) => orderedAt >= from - SAME_PURCHASE_MS && orderedAt <= Math.min(to + SAME_PURCHASE_MS, endedAt))
    .sort((a, b) => Number(isAfterReport(a)) - Number(isAfterReport(b)) || distance(a) - distance(b));
  if (nearest) unclaimed.splice(unclaimed.indexOf(nearest), 1);
  return nearest;
}

/** When the subscription ended according to this fact. Past due, paused and cancelled count, although it may still be usable: a later order did not create it. */
function endOf(fact: SubscriptionFact | InvoiceFact): number | [] {
  if (fact.kind === 'invoice') return fact.outcome === 'refunded' ? fact.at : [];
  switch (fact.status) {
    case 'on_trial':
    case 'active':
      return [];
    case 'past_due':
    case 'paused':
    case 'cancelled':
    case 'unpaid':
    case 'expired':
      return Math.min(fact.at, fact.endsAt ?? fact.at);
  }
}

/** Orders by id. The facts are sorted as by `timeline`. */
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

/** A running grant takes precedence over one that was paused or cancelled, and that over one that has ended. */
const PRECEDENCE: Record<Grant['status'], number> = { provisional: 2, active: 2, past_due: 2, paused: 1, cancelled: 1, ended: 0 };

/** The newest running grant, otherwise the one that expires last, with the latest expiry among grants of the same plan. */
function best(grants: Grant[]): Access | undefined {
  const top = Math.max(...grants.map(({ status }) => PRECEDENCE[status]));
  const candidates = grants
    .filter(({ status }) => PRECEDENCE[status] === top)
    .sort((a, b) => (top === PRECEDENCE.active ? b.startedAt - a.startedAt : 0) || b.expiresAt - a.expiresAt || compare(a, b));
  const [winner] = candidates;
  if (!winner) return undefined;
  const expiresAt = Math.max(...candidates.filter(({ plan }) => plan === winner.plan).map((grant) => grant.expiresAt));
  return { plan: winner.plan, status: winner.status, expiresAt };
}

const compare = (a: Grant, b: Grant) => (`${a.plan}${a.status}` < `${b.plan}${b.status}` ? -1 : 1);
