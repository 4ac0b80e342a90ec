// The payment provider's door: only what is signed comes in, it comes in as it is, and 200 means that it is kept.
import { createHmac } from 'node:crypto';
import { ServiceError } from '@clinic/lib/errors/errors.ts';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { startTestGateway, type TestGateway } from '../testing/test-gateway.ts';
import { isSigned } from './payment-webhook.ts';

const SECRET = 'payments-secret-of-the-tests';
const KEPT = 'PaymentEventService.receivePaymentEvent';
const sign = (body: string | Uint8Array, secret = SECRET) => createHmac('sha256', secret).update(body).digest('hex');

let door: TestGateway;
beforeEach(async () => {
  door = await startTestGateway();
});
afterEach(() => door.stop());

async function send(body: string | Uint8Array, headers: Record<string, string> = { 'x-signature': sign(body) }, method = 'POST') {
  const response = await fetch(`${door.url}/webhooks/payments`, { method, headers, ...(method === 'POST' && { body: body as string }) });
  return { status: response.status, body: await response.json(), allow: response.headers.get('allow') };
}

// As the provider writes: escaped slashes and characters, so that bytes parsed and written again would be others.
const RAW = '{"meta":{"event_name":"order_created"},"data":{"id":"1","attributes":{"total_formatted":"\\u20ac19.99","url":"https:\\/\\/x.example"}}}';

test('what is signed is handed on as it came', async () => {
  for (const body of [RAW, 'nonsense', Uint8Array.of(0, 255, 254), `"${'x'.repeat(1024 * 1024 - 2)}"`]) {
    door.calls.length = 0;
    expect(await send(body, { 'x-signature': sign(body), 'x-event-name': 'order_created' })).toMatchObject({ status: 200, body: { received: true } });
    expect(door.calls).toMatchObject([{ rpc: KEPT, caller: { kind: 'service', id: 'gateway' }, request: { eventName: 'order_created' } }]);
    expect(Buffer.from(door.calls.map(({ request }) => request.body as Uint8Array)[0] ?? []).equals(Buffer.from(body as string))).toBe(true);
  }
});

test('an empty body may be signed too, and the signature may be in capitals', async () => {
  expect((await send('')).status).toBe(200);
  expect((await send(RAW, { 'x-signature': sign(RAW).toUpperCase() })).status).toBe(200);
});

test.each([
  ['none', {}],
  ['empty', { 'x-signature': '' }],
  ['of another secret', { 'x-signature': sign(RAW, 'another') }],
  ['of another body', { 'x-signature': sign(`${RAW} `) }],
  ['cut short', { 'x-signature': sign(RAW).slice(0, 62) }],
  ['too long', { 'x-signature': `${sign(RAW)}00` }],
  ['no hex', { 'x-signature': 'z'.repeat(64) }],
  ['zeros', { 'x-signature': '0'.repeat(64) }],
  ['with a prefix', { 'x-signature': `sha256=${sign(RAW)}` }],
] as [string, Record<string, string>][])('a signature that is %s is refused', async (_what, headers) => {
  expect(await send(RAW, headers)).toMatchObject({ status: 401, body: { code: 'INVALID_SIGNATURE' } });
  expect(door.calls).toEqual([]);
});

test('a body that does not hash to zeros is not signed by zeros', () => {
  expect(isSigned(Buffer.from(RAW), 'x'.repeat(64), SECRET)).toBe(false);
});

test('what is too large, or no POST, is refused', async () => {
  const large = 'x'.repeat(1024 * 1024 + 1);
  expect(await send(large)).toMatchObject({ status: 413, body: { code: 'PAYLOAD_TOO_LARGE' } });
  expect(await send('', {}, 'GET')).toMatchObject({ status: 405, body: { code: 'METHOD_NOT_ALLOWED' }, allow: 'POST, OPTIONS' });
});

test('what cannot be kept is not acknowledged', async () => {
  for (const failure of [new ServiceError('UNAVAILABLE'), new ServiceError('INTERNAL'), new Error('boom')]) {
    door.replies[KEPT] = () => {
      throw failure;
    };
    expect(await send(RAW)).toMatchObject({ status: 503, body: { code: 'UNAVAILABLE' } });
  }
});

test('what takes too long is not acknowledged, and within half a second', async () => {
  let finish = () => {};
  door.replies[KEPT] = () =>
    new Promise((resolve) => {
      finish = () => resolve({});
    });
  const started = performance.now();
  expect(await send(RAW)).toMatchObject({ status: 503 });
  expect(performance.now() - started).toBeLessThan(1_500);
  finish();
});
