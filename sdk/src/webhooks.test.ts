import { expect, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { verifyWebhook, WebhookVerificationError } from './webhooks.ts';

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const BODY = JSON.stringify({ type: 'appointment.booked', timestamp: '2026-08-03T14:00:00Z', data: { appointment_id: '1' } });

function signed(at = new Date()) {
  const signature = new Webhook(SECRET).sign('msg_1', at, BODY);
  return { 'Webhook-Id': 'msg_1', 'Webhook-Timestamp': String(Math.floor(at.getTime() / 1000)), 'Webhook-Signature': signature };
}

test('a delivery with a valid signature is accepted, with the headers of fetch and of Node', () => {
  expect(verifyWebhook(SECRET, BODY, signed())).toEqual(JSON.parse(BODY));
  expect(verifyWebhook(SECRET, BODY, new Headers(signed()))).toMatchObject({ type: 'appointment.booked' });
});

test('another body, another secret and an old delivery are refused', () => {
  expect(() => verifyWebhook(SECRET, `${BODY} `, signed())).toThrow(WebhookVerificationError);
  expect(() => verifyWebhook('whsec_AAAA', BODY, signed())).toThrow(WebhookVerificationError);
  expect(() => verifyWebhook(SECRET, BODY, signed(new Date(Date.now() - 3_600_000)))).toThrow(WebhookVerificationError);
  expect(() => verifyWebhook(SECRET, BODY, {})).toThrow(WebhookVerificationError);
});
