// Parses the subject of a payment provider's event, an order, a subscription or the invoice of a subscription, into a fact.
import { type Fact, type OrderFact, SUBSCRIPTION_STATUSES, type Subscribed } from './fact-rules.ts';
import { centsOf, instantOf, type JsonObject, objectOf } from './third-party-json-rules.ts';
import type { Variant } from './variants-rules.ts';

/** Ids at the provider. */
export type Ids = { orderId?: string | undefined; subscriptionId?: string | undefined; variantId?: string | undefined };
export type Result = { verdict: 'fact'; fact: Fact } | { verdict: 'ignored' | 'unusable' | 'unknown_variant'; reason: string };

type Kind = Fact['kind'];
type Common = Pick<OrderFact, 'receivedAt' | 'clinicId' | 'createdAt'>;
/** `id` is that of the event's own subject; `variant` is absent when PAYMENTS_VARIANTS does not have it. */
type Source = { eventName: string; id: string; ids: Ids; attributes: JsonObject; variant: Variant | undefined; common: Common };

const INVOICE_OUTCOMES: Record<string, 'paid' | 'failed' | 'refunded'> = {
  subscription_payment_success: 'paid',
  subscription_payment_recovered: 'paid',
  subscription_payment_failed: 'failed',
  subscription_payment_refunded: 'refunded',
};

/** The status for events whose attributes do not name one. */
const STATUS_OF_EVENT: Record<string, Subscribed | undefined> = {
  subscription_created: 'active',
  subscription_updated: undefined,
  subscription_plan_changed: undefined,
  subscription_resumed: 'active',
  subscription_unpaused: 'active',
  subscription_paused: 'paused',
  subscription_cancelled: 'cancelled',
  subscription_expired: 'expired',
};

/** Payment events whose data may be the subscription instead of the invoice. Then the event decides the status. */
const STATUS_OF_PAYMENT: Record<string, Subscribed> = {
  subscription_payment_success: 'active',
  subscription_payment_recovered: 'active',
  subscription_payment_failed: 'past_due',
};

/** Undefined for events that are not used. */
export function kindOf(eventName: string | undefined, dataType: unknown): Kind | undefined {
  if (eventName === undefined) return undefined;
  if (eventName === 'order_created' || eventName === 'order_refunded') return 'order';
  if (Object.hasOwn(STATUS_OF_EVENT, eventName)) return 'subscription';
  if (dataType === 'subscriptions' && Object.hasOwn(STATUS_OF_PAYMENT, eventName)) return 'subscription';
  return Object.hasOwn(INVOICE_OUTCOMES, eventName) ? 'invoice' : undefined;
}

const NO_VARIANT = { verdict: 'unknown_variant', reason: 'the variant is not in PAYMENTS_VARIANTS' } as const;
const ignored = (reason: string): Result => ({ verdict: 'ignored', reason });
const unusable = (reason: string): Result => ({ verdict: 'unusable', reason });
const parsed = (fact: Fact): Result => ({ verdict: 'fact', fact });

export const PARSERS: Record<Kind, (source: Source) => Result> = { order: parseOrder, subscription: parseSubscription, invoice: parseInvoice };

function parseOrder({ eventName, id, ids, attributes, variant, common }: Source): Result {
  const status = orderStatus(eventName, attributes);
  if (!status) return ignored('the order is not paid');
  if (!variant && (ids.variantId !== undefined || eventName === 'order_created')) return NO_VARIANT;
  const totalCents = centsOf(attributes.total_usd) ?? centsOf(attributes.total) ?? 0;
  const refundedCents = Math.min(centsOf(attributes.refunded_amount_usd) ?? centsOf(attributes.refunded_amount) ?? 0, totalCents);
  const refundedAt = instantOf(attributes.refunded_at);
  return parsed({
    ...common,
    kind: 'order',
    orderId: id,
    at: instantOf(attributes.updated_at) ?? refundedAt ?? common.createdAt ?? common.receivedAt,
    status,
    totalCents,
    refundedCents: status === 'refunded' ? totalCents : refundedCents,
    refundedAt,
    ...variant,
  });
}

function orderStatus(eventName: string, { status, refunded, refunded_amount, total }: JsonObject) {
  if (status === 'refunded') return 'refunded';
  if (status === 'partial_refund') return 'partially_refunded';
  if (eventName === 'order_created') return status === 'paid' ? 'paid' : undefined;
  if (status !== undefined && status !== 'paid' && status !== 'fraudulent') return undefined;
  // A refund whose order still has the status paid, or is fraudulent: the amounts decide.
  const [refund, paid] = [centsOf(refunded_amount), centsOf(total)];
  if (refund === undefined || paid === undefined) return refunded === false ? 'paid' : 'refunded';
  return refund >= paid ? 'refunded' : 'partially_refunded';
}

function parseSubscription({ eventName, id, ids, attributes, variant, common }: Source): Result {
  const status = STATUS_OF_PAYMENT[eventName] ?? SUBSCRIPTION_STATUSES.find((one) => one === attributes.status) ?? STATUS_OF_EVENT[eventName];
  if (!status) return unusable('attributes.status is missing or unknown');
  if (!variant && ids.variantId !== undefined) return NO_VARIANT;
  const pause = objectOf(attributes.pause);
  return parsed({
    ...common,
    kind: 'subscription',
    subscriptionId: id,
    orderId: ids.orderId,
    at: instantOf(attributes.updated_at) ?? common.receivedAt,
    status,
    renewsAt: instantOf(attributes.renews_at),
    trialEndsAt: instantOf(attributes.trial_ends_at),
    endsAt: instantOf(attributes.ends_at),
    pausedFree: pause.mode === 'free',
    resumesAt: instantOf(pause.resumes_at),
    ...variant,
  });
}

function parseInvoice({ eventName, id, ids, attributes, common }: Source): Result {
  const { subscriptionId } = ids;
  const outcome = INVOICE_OUTCOMES[eventName];
  if (subscriptionId === undefined || !outcome) return unusable('attributes.subscription_id is missing');
  if (outcome === 'refunded' && isPartial(attributes)) return ignored('the payment was refunded in part');
  const at = instantOf(attributes.updated_at) ?? common.createdAt ?? common.receivedAt;
  return parsed({ ...common, kind: 'invoice', subscriptionId, invoiceId: id, at, outcome });
}

function isPartial({ status, refunded_amount, total }: JsonObject): boolean {
  if (status === 'partial_refunded' || status === 'partial_refund') return true;
  const [refund, paid] = [centsOf(refunded_amount), centsOf(total)];
  return status !== 'refunded' && refund !== undefined && paid !== undefined && refund < paid;
}
