// Deliveries of outbound webhooks, signed as Standard Webhooks v1.
import { Webhook, WebhookVerificationError } from 'standardwebhooks';
import type { webhooks } from './gen/schema.ts';

export { WebhookVerificationError };

/** An event that an endpoint receives: ids and states, never names or phones. `type` determines the type of `data`; later releases may add types. */
export type WebhookEvent = { [T in keyof webhooks]: webhooks[T]['post']['requestBody']['content']['application/json'] }[keyof webhooks];

/**
 * Returns the event of a delivery. `body` is the body exactly as received. Throws WebhookVerificationError if the signature was not made with
 * `secret`, or if the timestamp differs from the current time by more than five minutes. Respond with 2xx once the event is stored; after any
 * other response the delivery is repeated with the same `webhook-id`.
 */
export function verifyWebhook(secret: string, body: string, headers: Headers | Record<string, string | string[] | undefined>): WebhookEvent {
  const entries = headers instanceof Headers ? [...headers] : Object.entries(headers);
  return new Webhook(secret).verify(body, Object.fromEntries(entries.map(([name, value]) => [name.toLowerCase(), String(value)]))) as WebhookEvent;
}
