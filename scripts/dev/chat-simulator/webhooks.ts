// Webhook deliveries in the provider's format: signed over escaped bytes, repeated until the response is 2xx.
import { createHmac, randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { secondsNow } from '../../chat-delivery.ts';
import type { ChatNumber } from './state.ts';

export const newId = () => `wamid.SIM${randomBytes(12).toString('base64url')}`;

const ATTEMPTS = 200;
const MAX_PAUSE_MS = 10_000;

export function createWebhooks({ url, secret }: { url: string; secret: string }) {
  /** Retries for half an hour; the real provider retries for seven days. */
  async function deliver(value: Record<string, unknown>, number: ChatNumber): Promise<void> {
    const metadata = { display_phone_number: number.phone, phone_number_id: number.id };
    const change = { field: 'messages', value: { messaging_product: 'whatsapp', metadata, ...value } };
    const body = escaped({ object: 'whatsapp_business_account', entry: [{ id: number.wabaId || '0', changes: [change] }] });
    const signature = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const accepted = await fetch(url, { method: 'POST', body, headers: { 'content-type': 'application/json', 'x-hub-signature-256': signature } }).then(
        (response) => response.ok,
        () => false,
      );
      if (accepted) return;
      await sleep(Math.min(500 + attempt * 1_000, MAX_PAUSE_MS), undefined, { ref: false });
    }
  }
  return {
    message: (number: ChatNumber, from: string, name: string, message: Record<string, unknown>) =>
      deliver({ contacts: [{ profile: { name }, wa_id: from }], messages: [{ from, timestamp: secondsNow(), ...message }] }, number),
    status: (number: ChatNumber, to: string, status: Record<string, unknown>) =>
      deliver({ statuses: [{ recipient_id: to, timestamp: secondsNow(), ...status }] }, number),
  };
}

export type Webhooks = ReturnType<typeof createWebhooks>;

/** JSON as the provider writes it: everything beyond ASCII, and each slash, escaped. */
function escaped(value: unknown): string {
  return JSON.stringify(value)
    .replaceAll('/', '\\/')
    .replaceAll(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
