// Webhook deliveries of a chat provider, for measurements and load tests.
import { createHmac, randomUUID } from 'node:crypto';

export const secondsNow = () => String(Math.floor(Date.now() / 1_000));

export const newMessageId = () => `wamid.${randomUUID()}`;

/** The value of a delivery with text messages. */
export const textMessages = (messages: { id: string; phone: string; text: string }[]) => ({
  contacts: messages.map(({ phone }) => ({ profile: { name: 'Rosa' }, wa_id: phone })),
  messages: messages.map(({ id, phone, text }) => ({ from: phone, id, timestamp: secondsNow(), type: 'text', text: { body: text } })),
});

/** A delivery signed with the app secret. */
export function chatDelivery(secret: string, numberId: string, value: object): { body: string; headers: Record<string, string> } {
  const change = { field: 'messages', value: { messaging_product: 'whatsapp', metadata: { phone_number_id: numberId }, ...value } };
  const body = JSON.stringify({ object: 'whatsapp_business_account', entry: [{ id: '1', changes: [change] }] });
  const signature = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
  return { body, headers: { 'content-type': 'application/json', 'x-hub-signature-256': signature } };
}
