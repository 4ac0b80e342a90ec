// Deliveries of outbound webhooks, signed as Standard Webhooks v1.
import { Webhook, WebhookVerificationError } from 'standardwebhooks';
import type { webhooks } from './gen/schema.ts';

export { WebhookVerificationError };

/** What an endpoint receives: ids and states, never names or phones. `type` says which `data` there is; later releases may add types. */
export type WebhookEvent = { [T in keyof webhooks]: webhooks[T]['post']['requestBody']['content']['application/json'] }[keyof webhooks];

/**
 * Returns the event of a delivery, given the body exactly as it came and the headers of the request. Throws WebhookVerificationError when
 * the signature is not one of `secret`, or the delivery is older or newer than five minutes. Answer 2xx once the event is stored: any
 * other answer, and the delivery is repeated, with the same `webhook-id`.
 */
export function verifyWebhook(secret: string, body: string, headers: Headers | Record<string, string | string[] | undefined>): WebhookEvent {
  const entries = headers instanceof Headers ? [...headers] : Object.entries(headers);
  return new Webhook(secret).verify(body, Object.fromEntries(entries.map(([name, value]) => [name.toLowerCase(), String(value)]))) as WebhookEvent;
}
