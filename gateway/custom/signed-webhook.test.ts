// Both webhooks: what reaches the service, which signatures are accepted, and the response when storing fails or is slow.
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { Agent, request as httpRequest, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceError } from '@clinic/lib/errors/errors.ts';
import { waitFor } from '@clinic/lib/testing/wait-for.ts';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { CHAT_SECRET, startTestGateway, type TestGateway } from '../testing/test-gateway.ts';

const PAYMENTS_SECRET = 'payments-secret-of-the-tests';
// Written as the providers do, with escaped slashes and characters: parsing and serializing would change the bytes.
const CHAT_BODY =
  '{"object":"whatsapp_business_account","entry":[{"id":"1234567890987654321","changes":[{"value":{"messaging_product":"whatsapp","metadata":{"display_phone_number":"972123456789","phone_number_id":"1122334455667"},"contacts":[{"profile":{"name":"Test Name"},"wa_id":"972987654321","user_id":"US.13491208655302741918","parent_user_id":"US.ENT.11815799212886844830"}],"messages":[{"from":"972987654321","id":"wamid.xyzxyz","timestamp":"1697043223","text":{"body":"Ma\\u00f1ana a las 9 \\u00e9\\/\\u00f1 \\ud83d\\ude00"},"type":"text"}]},"field":"messages"}]}]}';
const CHAT_SIGNATURE = 'sha256=d94c8f080f21d1e74d5e22ba424bd97bbf975db01e78646ccd14759fed5f4ba0';
const PAYMENT_BODY = '{"meta":{"event_name":"order_created"},"data":{"id":"1","attributes":{"total_formatted":"\\u20ac19.99","url":"https:\\/\\/x.example"}}}';

let gateway: TestGateway;
beforeEach(async () => {
  gateway = await startTestGateway();
});
afterEach(() => gateway.stop());

test('the signature of the chat provider’s own example is accepted', async () => {
  const response = await fetch(`${gateway.url}/webhooks/chat`, { method: 'POST', body: CHAT_BODY, headers: { 'x-hub-signature-256': CHAT_SIGNATURE } });
  expect([response.status, await response.json()]).toEqual([200, { status: 'received' }]);
});

test('the event name of the payment provider is passed on', async () => {
  const headers = { 'x-signature': createHmac('sha256', PAYMENTS_SECRET).update(PAYMENT_BODY).digest('hex'), 'x-event-name': 'order_created' };
  const response = await fetch(`${gateway.url}/webhooks/payments`, { method: 'POST', body: PAYMENT_BODY, headers });
  expect([response.status, await response.json()]).toEqual([200, { received: true }]);
  expect(gateway.calls).toMatchObject([{ request: { eventName: 'order_created' } }]);
});

test('when storing is slow, a payment event is 200 once it is stored; a chat message is 503 early, so that the provider does not wait', async () => {
  const slowly = () => new Promise((resolve) => setTimeout(resolve, 800, {}));
  gateway.replies['PaymentEventService.receivePaymentEvent'] = slowly;
  gateway.replies['ChatEventService.receiveChatEvent'] = slowly;
  const signed = createHmac('sha256', PAYMENTS_SECRET).update(PAYMENT_BODY).digest('hex');
  const [payment, chat] = await Promise.all([
    fetch(`${gateway.url}/webhooks/payments`, { method: 'POST', body: PAYMENT_BODY, headers: { 'x-signature': signed } }),
    fetch(`${gateway.url}/webhooks/chat`, { method: 'POST', body: CHAT_BODY, headers: { 'x-hub-signature-256': CHAT_SIGNATURE } }),
  ]);
  expect([payment.status, chat.status]).toEqual([200, 503]);
});

test('a delivery on a connection that served another request before has its full time', async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const send = async (path: string, body: string, headers: Record<string, string> = {}) => {
    const request = httpRequest(gateway.url + path, { agent, method: body ? 'POST' : 'GET', headers });
    request.end(body);
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    return [response.resume().statusCode, request.reusedSocket];
  };
  expect(await send('/webhooks/chat', '')).toEqual([403, false]);
  await sleep(700); // longer than a delivery may take
  expect(await send('/webhooks/chat', CHAT_BODY, { 'x-hub-signature-256': CHAT_SIGNATURE })).toEqual([200, true]);
  agent.destroy();
});

test('while storing takes too long, chat deliveries are refused before they are stored, until one is stored in time again', async () => {
  let ms = 800;
  gateway.replies['ChatEventService.receiveChatEvent'] = () => new Promise((resolve) => setTimeout(resolve, ms, {}));
  const headers = { 'x-hub-signature-256': CHAT_SIGNATURE };
  const deliver = () => fetch(`${gateway.url}/webhooks/chat`, { method: 'POST', body: CHAT_BODY, headers });
  for (let i = 0; i < 8; i++) expect((await deliver()).status).toBe(503);
  expect(gateway.calls.length).toBeLessThan(8);
  ms = 0;
  await waitFor(async () => (await deliver()).status === 200);
});

describe.each([
  {
    path: '/webhooks/chat',
    rpc: 'ChatEventService.receiveChatEvent',
    header: 'x-hub-signature-256',
    prefix: 'sha256=',
    secret: CHAT_SECRET,
    sample: CHAT_BODY,
    maxBytes: 3 * 1024 * 1024,
    allow: 'GET, POST, HEAD, OPTIONS',
  },
  {
    path: '/webhooks/payments',
    rpc: 'PaymentEventService.receivePaymentEvent',
    header: 'x-signature',
    prefix: '',
    secret: PAYMENTS_SECRET,
    sample: PAYMENT_BODY,
    maxBytes: 1024 * 1024,
    allow: 'POST, OPTIONS',
  },
])('POST $path', ({ path, rpc, header, prefix, secret, sample, maxBytes, allow }) => {
  const hex = (body: string | Uint8Array, key = secret) => createHmac('sha256', key).update(body).digest('hex');
  async function post(body: string | Uint8Array<ArrayBuffer>, signature: string | undefined = prefix + hex(body)) {
    const headers = { 'content-type': 'application/json', ...(signature !== '' && { [header]: signature }) };
    const response = await fetch(gateway.url + path, { method: 'POST', body, headers });
    return { status: response.status, body: await response.json() };
  }

  test('the service receives the raw bytes, whatever they are', async () => {
    for (const body of [sample, 'nonsense', Uint8Array.of(0, 255, 254), '']) {
      gateway.calls.length = 0;
      expect((await post(body)).status).toBe(200);
      expect(gateway.calls).toMatchObject([{ rpc, caller: { kind: 'service', id: 'gateway' } }]);
      expect(Buffer.from(gateway.calls[0]?.request.body as Uint8Array)).toEqual(Buffer.from(body));
    }
  });

  test('uppercase hex is accepted', async () => {
    expect((await post(sample, prefix + hex(sample).toUpperCase())).status).toBe(200);
  });

  test.each([
    ['none', ''],
    ['of another secret', prefix + hex(sample, 'another')],
    ['of another body', prefix + hex(`${sample} `)],
    ['of the body serialized again', prefix + hex(JSON.stringify(JSON.parse(sample)))],
    ['cut short', prefix + hex(sample).slice(0, 62)],
    ['too long', `${prefix}${hex(sample)}00`],
    ['not hex', prefix + 'z'.repeat(64)],
    ['zeros', prefix + '0'.repeat(64)],
    ['with another prefix', `sha1=${hex(sample)}`],
    ['with the prefix missing or added', prefix ? hex(sample) : `sha256=${hex(sample)}`],
  ])('a signature that is %s is refused', async (_what, signature) => {
    expect(await post(sample, signature)).toMatchObject({ status: 401, body: { code: 'INVALID_SIGNATURE' } });
    expect(gateway.calls).toEqual([]);
  });

  test('a body of the largest size is accepted, a larger one is refused', async () => {
    // A busy machine may need longer for it than a delivery may take: it is then sent again, as the providers do.
    await waitFor(async () => (await post(Buffer.alloc(maxBytes, 'x'))).status === 200);
    expect(await post(Buffer.alloc(maxBytes + 1, 'x'))).toMatchObject({ status: 413, body: { code: 'PAYLOAD_TOO_LARGE' } });
  });

  test('a delivery that cannot be stored is 503 within seconds, so that the provider repeats it', async () => {
    const failures: (() => unknown)[] = [
      () => {
        throw new ServiceError('UNAVAILABLE');
      },
      () => {
        throw new ServiceError('INTERNAL');
      },
      () => {
        throw new Error('unexpected');
      },
    ];
    for (const failure of failures) {
      gateway.replies[rpc] = failure;
      const started = performance.now();
      expect(await post(sample)).toMatchObject({ status: 503, body: { code: 'UNAVAILABLE' } });
      expect(performance.now() - started).toBeLessThan(4_000);
    }
  });

  test('another method is 405, and OPTIONS 204, both with Allow', async () => {
    for (const [method, status] of [
      ['PUT', 405],
      ['OPTIONS', 204],
    ] as const) {
      const response = await fetch(gateway.url + path, { method });
      expect([response.status, response.headers.get('allow')]).toEqual([status, allow]);
    }
  });
});

describe('GET /webhooks/chat, with which the provider verifies the address', () => {
  const get = async (query: string) => {
    const response = await fetch(`${gateway.url}/webhooks/chat?${query}`);
    return [response.status, await response.text(), response.headers.get('content-type')];
  };

  test('returns the challenge unchanged', async () => {
    const query = 'hub.mode=subscribe&hub.verify_token=verify-token-of-the-tests&hub.challenge=1158201444%3Cb%3E';
    expect(await get(query)).toEqual([200, '1158201444<b>', 'text/plain; charset=utf-8']);
  });

  test.each(['hub.mode=subscribe&hub.verify_token=wrong&hub.challenge=1', 'hub.mode=other&hub.verify_token=verify-token-of-the-tests&hub.challenge=1', ''])(
    'is refused: %s',
    async (query) => {
      expect(await get(query)).toEqual([403, expect.stringContaining('FORBIDDEN'), expect.anything()]);
    },
  );
});
