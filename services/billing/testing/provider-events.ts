// Bodies of events as the payment provider sends them, reduced to the fields that billing uses.
import { randomUUID } from 'node:crypto';

export const VARIANTS = { 111: { plan: 'basic', cycle: 'month' }, 222: { plan: 'pro', cycle: 'month' }, 333: { plan: 'pro', cycle: 'year' } };

/** `2026-06-01T14:00:00.000000Z`, as the provider writes instants. */
export const instant = (at: Date | number) => new Date(at).toISOString().replace('Z', '000Z');

type Extra = { clinicId?: string | undefined; meta?: object; attributes?: object; webhookId?: string | null };

function body(event_name: string, type: string, id: string | number, attributes: object, { clinicId, meta = {}, attributes: more = {}, webhookId }: Extra) {
  return {
    meta: {
      test_mode: false,
      event_name,
      ...(webhookId !== null && { webhook_id: webhookId ?? randomUUID() }),
      ...(clinicId !== undefined && { custom_data: { clinic_id: clinicId } }),
      ...meta,
    },
    data: { type, id, attributes: { store_id: 1, user_name: 'Ana Rivas', user_email: 'ana@example.com', ...attributes, ...more } },
  };
}

export const orderBody = (event: string, id: string | number, at: Date, extra: Extra = {}, variant: string | number = 111) =>
  body(
    event,
    'orders',
    id,
    {
      order_number: 7,
      status: event === 'order_refunded' ? 'refunded' : 'paid',
      total: 2900,
      total_usd: 2900,
      refunded: event === 'order_refunded' ? true : null,
      refunded_at: event === 'order_refunded' ? instant(at) : null,
      first_order_item: { order_id: id, product_id: 5, variant_id: variant, variant_name: 'Default' },
      created_at: instant(at),
      updated_at: instant(at),
    },
    extra,
  );

export const subscriptionBody = (
  event: string,
  id: string | number,
  at: Date,
  status: string,
  attributes: object,
  extra: Extra = {},
  variant: string | number = 111,
) =>
  body(
    event,
    'subscriptions',
    id,
    { variant_id: variant, status, pause: null, ends_at: null, updated_at: instant(at), created_at: instant(at), ...attributes },
    extra,
  );

export const invoiceBody = (event: string, id: string | number, subscriptionId: string | number, at: Date, extra: Extra = {}) =>
  body(
    event,
    'subscription-invoices',
    id,
    { subscription_id: subscriptionId, billing_reason: 'renewal', total: 2900, created_at: instant(at), updated_at: instant(at) },
    extra,
  );
