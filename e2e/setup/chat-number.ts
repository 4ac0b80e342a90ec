// Connects a chat number of a clinic at the simulated provider, and sends deliveries of that provider.
import { createHmac, randomUUID } from 'node:crypto';
import { publicApi } from '@clinic/lib/testing/public-api.ts';
import { expect } from '@jest/globals';
import { type Answer, apiAt, expectStatus } from '../api.ts';
import { type Clinic, freshPhone } from '../clinic.ts';
import { secret } from '../product-internals.ts';

/** Connects a number, after a wrong code, and returns the provider's id of the number. */
export async function connectNumber(clinic: Clinic, phone = freshPhone(), accessToken = 'EAAGtest-token'): Promise<string> {
  const api = apiAt(publicApi());
  const body = { phone, otpMethod: 'sms', wabaId: `waba-${clinic.id}`, accessToken };
  expect((await expectStatus(200, api.post('/api/chat/start', body, clinic))).body).toEqual({ status: 'pending_otp' });
  const wrong = await api.post('/api/chat/verify-otp', { code: '000000' }, clinic);
  expect([wrong.status, wrong.body.code]).toEqual([400, 'INVALID_OTP']);
  expect((await expectStatus(200, api.post('/api/chat/verify-otp', { code: '123456' }, clinic))).body).toEqual({ status: 'active' });
  return `999${phone.slice(1)}`;
}

/** A delivery with one message from `phone` to the number: a text, or the chosen row of a list. */
export function deliveryOf(number: string, phone: string, content: { text: string } | { choice: string }, id = `wamid.${randomUUID()}`): string {
  const from = phone.slice(1);
  const sent =
    'text' in content
      ? { type: 'text', text: { body: content.text } }
      : { type: 'interactive', interactive: { type: 'list_reply', list_reply: { id: content.choice, title: 'x' } } };
  const value = {
    messaging_product: 'whatsapp',
    metadata: { phone_number_id: number },
    contacts: [{ profile: { name: 'Rosa' }, wa_id: from }],
    messages: [{ from, id, timestamp: String(Math.floor(Date.now() / 1000)), ...sent }],
  };
  return JSON.stringify({ object: 'whatsapp_business_account', entry: [{ id: '1', changes: [{ field: 'messages', value }] }] });
}

/** Sends a delivery as the provider does, by default with its signature. */
export function deliver(
  body: string,
  signature = `sha256=${createHmac('sha256', secret(publicApi(), 'CHAT_APP_SECRET')).update(body).digest('hex')}`,
): Promise<Answer> {
  return apiAt(publicApi()).post('/webhooks/chat', body, { headers: { 'X-Hub-Signature-256': signature } });
}
