// What an event of the payment provider says, from its raw bytes. Whatever comes in has a meaning here, if only that it
// is of no use: nothing throws.
import type { Fact, Subscribed } from './fact-rules.ts';
import { centsOf, idOf, instantOf, type Loose, objectOf, uuidOf, wordOf } from './third-party-json-rules.ts';
import type { Variant, Variants } from './variants-rules.ts';

/** What an operator sees of an event: never anything personal. */
export type Label = {
  eventName?: string | undefined;
  clinicId?: string | undefined;
  orderId?: string | undefined;
  subscriptionId?: string | undefined;
  variantId?: string | undefined;
};
export type Reading = { label: Label } & ({ verdict: 'fact'; fact: Fact } | { verdict: 'ignored' | 'unusable' | 'unknown_variant'; reason: string });

/** `headerName` is X-Event-Name, for a body that does not name its event. */
export type Context = { headerName: string; receivedAt: number; variants: Variants; production: boolean };

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** The body as an object, or undefined. */
export function readBody(body: Uint8Array): Loose | undefined {
  try {
    const value: unknown = JSON.parse(utf8.decode(body));
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Loose) : undefined;
  } catch {
    return undefined;
  }
}

export function readEvent(body: Uint8Array, context: Context): Reading {
  const root = readBody(body);
  if (!root) return { label: { eventName: wordOf(context.headerName) }, verdict: 'unusable', reason: 'the body is not a JSON object' };
  const meta = objectOf(root.meta);
  const data = objectOf(root.data);
  const attributes = objectOf(data.attributes);
  const eventName = wordOf(meta.event_name) ?? wordOf(context.headerName);
  const kind = kindOf(eventName);
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
  if (kind === undefined) return { label, verdict: 'ignored', reason: 'events of this name mean nothing here' };
  if (context.production && (meta.test_mode === true || attributes.test_mode === true)) return { label, verdict: 'ignored', reason: 'test mode' };
  if (id === undefined) return { label, verdict: 'unusable', reason: 'data.id is missing' };
  const variant = variantId === undefined ? undefined : Object.hasOwn(context.variants, variantId) ? context.variants[variantId] : undefined;
  const reading = READERS[kind]({ eventName, id, label, attributes, variant, receivedAt: context.receivedAt });
  return { label, ...reading };
}

type Kind = Fact['kind'];
type Source = { eventName: string; id: string; label: Label; attributes: Loose; variant: Variant | undefined; receivedAt: number };
type Read = { verdict: 'fact'; fact: Fact } | { verdict: 'ignored' | 'unusable' | 'unknown_variant'; reason: string };

const INVOICE_OUTCOMES: Record<string, 'paid' | 'failed' | 'refunded'> = {
  subscription_payment_success: 'paid',
  subscription_payment_recovered: 'paid',
  subscription_payment_failed: 'failed',
  subscription_payment_refunded: 'refunded',
};

/** The status that an event means whose attributes name none. */
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

function kindOf(eventName: string | undefined): Kind | undefined {
  if (eventName === undefined) return undefined;
  if (eventName === 'order_created' || eventName === 'order_refunded') return 'order';
  if (Object.hasOwn(STATUS_OF_EVENT, eventName)) return 'subscription';
  return Object.hasOwn(INVOICE_OUTCOMES, eventName) ? 'invoice' : undefined;
}

const NO_VARIANT = { verdict: 'unknown_variant', reason: 'PAYMENTS_VARIANTS does not name what was bought' } as const;
const ignored = (reason: string): Read => ({ verdict: 'ignored', reason });
const unusable = (reason: string): Read => ({ verdict: 'unusable', reason });

const READERS: Record<Kind, (source: Source) => Read> = { order: readOrder, subscription: readSubscription, invoice: readInvoice };

function readOrder({ eventName, id, label, attributes, variant, receivedAt }: Source): Read {
  const status = orderStatus(eventName, attributes);
  if (!status) return ignored('the order is not paid');
  if (!variant && (label.variantId !== undefined || eventName === 'order_created')) return NO_VARIANT;
  const totalCents = centsOf(attributes.total_usd) ?? centsOf(attributes.total) ?? 0;
  const refundedCents = Math.min(centsOf(attributes.refunded_amount_usd) ?? centsOf(attributes.refunded_amount) ?? 0, totalCents);
  const refundedAt = instantOf(attributes.refunded_at);
  return {
    verdict: 'fact',
    fact: {
      kind: 'order',
      orderId: id,
      at: instantOf(attributes.updated_at) ?? refundedAt ?? instantOf(attributes.created_at) ?? receivedAt,
      receivedAt,
      clinicId: label.clinicId,
      createdAt: instantOf(attributes.created_at),
      status,
      totalCents,
      refundedCents: status === 'refunded' ? totalCents : refundedCents,
      refundedAt,
      ...variant,
    },
  };
}

function orderStatus(eventName: string, { status, refunded, refunded_amount, total }: Loose) {
  if (status === 'refunded') return 'refunded';
  if (status === 'partial_refund') return 'partially_refunded';
  if (eventName === 'order_created') return status === 'paid' ? 'paid' : undefined;
  if (status !== undefined && status !== 'paid') return undefined;
  // A refund whose order still says paid: the amounts tell.
  const [given, whole] = [centsOf(refunded_amount), centsOf(total)];
  if (given === undefined || whole === undefined) return refunded === false ? 'paid' : 'refunded';
  return given >= whole ? 'refunded' : 'partially_refunded';
}

function readSubscription({ eventName, id, label, attributes, variant, receivedAt }: Source): Read {
  const status = STATUSES.find((one) => one === attributes.status) ?? STATUS_OF_EVENT[eventName];
  if (!status) return unusable('attributes.status is missing or unknown');
  if (!variant && label.variantId !== undefined) return NO_VARIANT;
  const pause = objectOf(attributes.pause);
  return {
    verdict: 'fact',
    fact: {
      kind: 'subscription',
      subscriptionId: id,
      orderId: label.orderId,
      at: instantOf(attributes.updated_at) ?? receivedAt,
      receivedAt,
      clinicId: label.clinicId,
      createdAt: instantOf(attributes.created_at),
      status,
      renewsAt: instantOf(attributes.renews_at),
      trialEndsAt: instantOf(attributes.trial_ends_at),
      endsAt: instantOf(attributes.ends_at),
      pausedFree: pause.mode === 'free',
      resumesAt: instantOf(pause.resumes_at),
      ...variant,
    },
  };
}

function readInvoice({ eventName, id, label, attributes, receivedAt }: Source): Read {
  const { subscriptionId } = label;
  const outcome = INVOICE_OUTCOMES[eventName];
  if (subscriptionId === undefined || !outcome) return unusable('attributes.subscription_id is missing');
  if (outcome === 'refunded' && isPartial(attributes)) return ignored('a part of the payment was given back');
  const at = instantOf(attributes.updated_at) ?? instantOf(attributes.created_at) ?? receivedAt;
  return {
    verdict: 'fact',
    fact: { kind: 'invoice', subscriptionId, invoiceId: id, at, receivedAt, clinicId: label.clinicId, createdAt: instantOf(attributes.created_at), outcome },
  };
}

function isPartial({ status, refunded_amount, total }: Loose): boolean {
  if (status === 'partial_refunded' || status === 'partial_refund') return true;
  const [given, whole] = [centsOf(refunded_amount), centsOf(total)];
  return status !== 'refunded' && given !== undefined && whole !== undefined && given < whole;
}
