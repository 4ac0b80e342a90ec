// Parses an event of the payment provider from its raw bytes into a fact, or into the reason why there is none. Nothing throws.
import { type Ids, kindOf, PARSERS, type Result } from './parse-fact-rules.ts';
import { idOf, instantOf, type JsonObject, objectOf, uuidOf, wordOf } from './third-party-json-rules.ts';
import type { Variants } from './variants-rules.ts';

/** What operators see of an event, without personal data. */
export type Label = Ids & { eventName?: string | undefined; clinicId?: string | undefined };
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
  return { label, ...PARSERS[kind]({ eventName, id, ids: label, attributes, variant, common }) };
}
