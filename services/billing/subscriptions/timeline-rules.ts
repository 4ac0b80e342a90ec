// Sorts facts by when they happened and removes repetitions. Everything about a subscription is computed from this order, so late and
// repeated events change nothing.
import { type Fact, SUBSCRIPTION_STATUSES } from './fact-rules.ts';

// Of two facts at the same instant, the later stage of a subscription's life wins. The stage of a status is its index in SUBSCRIPTION_STATUSES.
const INVOICE_STAGES = { paid: 1.5, failed: 2, refunded: 7 };
const ORDER_STAGES = { paid: 0, partially_refunded: 1, refunded: 2 };

/** Distinct facts by when they happened. Of equal facts the one that arrived first is used. */
export function timeline(facts: readonly Fact[]): Fact[] {
  const distinct = new Map<string, Fact>();
  for (const fact of facts) {
    const key = contentOf(fact);
    const known = distinct.get(key);
    if (!known || fact.receivedAt < known.receivedAt) distinct.set(key, fact);
  }
  return [...distinct]
    .sort(
      ([a, one], [b, other]) =>
        one.at - other.at ||
        stageOf(one) - stageOf(other) ||
        renewal(one) - renewal(other) ||
        compare(order(one), order(other)) ||
        arrival(one) - arrival(other) ||
        compare(a, b),
    )
    .map(([, fact]) => fact);
}

function contentOf(fact: Fact): string {
  const { receivedAt, ...content } = fact;
  return JSON.stringify(
    Object.entries(content)
      .filter(([, value]) => value !== undefined)
      .sort(([a], [b]) => compare(a, b)),
  );
}

function stageOf(fact: Fact): number {
  if (fact.kind === 'subscription') return SUBSCRIPTION_STATUSES.indexOf(fact.status);
  return fact.kind === 'invoice' ? INVOICE_STAGES[fact.outcome] : ORDER_STAGES[fact.status];
}

/** Of two otherwise equal facts the one with the later renewal comes last, and so wins. */
const renewal = (fact: Fact) => (fact.kind === 'subscription' ? (fact.renewsAt ?? 0) : 0);
/** An order that is reported again is what its first report said; different orders do not depend on their arrival. */
const order = (fact: Fact) => (fact.kind === 'order' ? fact.orderId : '');
const arrival = (fact: Fact) => (fact.kind === 'order' ? fact.receivedAt : 0);
const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
