// Parses an event of the payment provider from its raw bytes into a fact, or into the reason why there is none. Nothing throws.
import type { Fact, OrderFact, Subscribed } from './fact-rules.ts';
import { centsOf, idOf, instantOf, type JsonObject, objectOf, uuidOf, wordOf } from './third-party-json-rules.ts';
import type { Variant, Variants } from './variants-rules.ts';

/** What operators see of an event, without personal data. */
export type Label = {
  eventName?: string | undefined;
  clinicId?: string | undefined;
  orderId?: string | undefined;
  subscriptionId?: string | undefined;
  variantId?: string | undefined;
};
type Result = { verdict: 'fact'; fact: Fact } | { verdict: 'ignored' | 'unusable' | 'unknown_variant'; reason: string };
type ParsedEvent = { label: Label } & Result;

/** `headerName` is X-Event-Name, for bodies that do not name their event. */
type Context = { headerName: string; receivedAt: number; variants: Variants; production: boolean };

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** The body as a JSON object, or undefined. */
export function parseBody(body: Uint8Array): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(utf8.decode(body));
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined;
  } catch {
    return undefined;
  }
}

export function parseEvent(body: Uint8Array, context: Context): ParsedEvent {
  const root = parseBody(body);
  if (!root) return { label: { eventName: wordOf(context.headerName) }, verdict: 'unusable', reason: 'the body is not a JSON object' };
  const meta = objectOf(root.meta);
  const data = objectOf(root.data);
  const attributes = objectOf(data.attributes);
  const eventName = wordOf(meta.event_name) ?? wordOf(context.headerName);
  const kind = kindOf(eventName, data.type);
  const variantId = idOf(attributes.variant_id) ?? idOf(objectOf(attributes.first_order_item).variant_id);
  const id = idOf(data.id);
  const label: Label = {
    eventName,
    clinicId: uuidOf(objectOf(meta.custom_data).clinic_id),
    orderId: kind === 'order' ? id : idOf(attributes.order_id),
    subscriptionId: kind === 'subscription' ? id : idOf(attributes.subscription_id),
    variantId,
  };
  if (eventName === undefined) return { label, verdict: 'unusable', reason: 'the event has no name' };
  if (kind === undefined) return { label, verdict: 'ignored', reason: 'events of this name are not used' };
  if (context.production && (meta.test_mode === true || attributes.test_mode === true))
    return { label, verdict: 'ignored', reason: 'test mode event in production' };
  if (id === undefined) return { label, verdict: 'unusable', reason: 'data.id is missing' };
  const variant = variantId !== undefined && Object.hasOwn(context.variants, variantId) ? context.variants[variantId] : undefined;
  const { receivedAt } = context;
  const common = { receivedAt, clinicId: label.clinicId, createdAt: instantOf(attributes.created_at) };
  return { label, ...PARSERS[kind]({ eventName, id, label, attributes, variant, common }) };
}

type Kind = Fact['kind'];
type Common = Pick<OrderFact, 'receivedAt' | 'clinicId' | 'createdAt'>;
type Source = { eventName: string; id: string; label: Label; attributes: JsonObject; variant: Variant | undefined; common: Common };

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
const STATUSES: readonly Subscribed[] = ['on_trial', 'active', 'past_due', 'paused', 'cancelled', 'unpaid', 'expired'];

/** Payment events whose data may be the subscription instead of the invoice. Then the event decides the status. */
const STATUS_OF_PAYMENT: Record<string, Subscribed> = {
  subscription_payment_success: 'active',
  subscription_payment_recovered: 'active',
  subscription_payment_failed: 'past_due',
};

function kindOf(eventName: string | undefined, dataType: unknown): Kind | undefined {
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

const PARSERS: Record<Kind, (source: Source) => Result> = { order: parseOrder, subscription: parseSubscription, invoice: parseInvoice };

function parseOrder({ eventName, id, label, attributes, variant, common }: Source): Result {
  const status = orderStatus(eventName, attributes);
  if (!status) return ignored('the order is not paid');
  if (!variant && (label.variantId !== undefined || eventName === 'order_created')) return NO_VARIANT;
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
  if (status !== undefined && status !== 'paid') return undefined;
  // A refund whose order still has the status paid: the amounts decide.
  const [refund, paid] = [centsOf(refunded_amount), centsOf(total)];
  if (refund === undefined || paid === undefined) return refunded === false ? 'paid' : 'refunded';
  return refund >= paid ? 'refunded' : 'partially_refunded';
}

function parseSubscription({ eventName, id, label, attributes, variant, common }: Source): Result {
  const status = STATUS_OF_PAYMENT[eventName] ?? STATUSES.find((one) => one === attributes.status) ?? STATUS_OF_EVENT[eventName];
  if (!status) return unusable('attributes.status is missing or unknown');
  if (!variant && label.variantId !== undefined) return NO_VARIANT;
  const pause = objectOf(attributes.pause);
  return parsed({
    ...common,
    kind: 'subscription',
    subscriptionId: id,
    orderId: label.orderId,
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

function parseInvoice({ eventName, id, label, attributes, common }: Source): Result {
  const { subscriptionId } = label;
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
