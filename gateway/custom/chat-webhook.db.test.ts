// The chat provider's door: the bytes as they came, their signature, and an answer in half a second whatever happens behind.
import { createHmac } from 'node:crypto';
import { ServiceError } from '@clinic/lib/errors/errors.ts';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { CHAT_SECRET, startTestGateway, type TestGateway } from '../testing/test-gateway.ts';

// The provider signs what it sends with escapes: parsed and written anew it would have another signature.
const BODY =
  '{"object":"whatsapp_business_account","entry":[{"id":"1234567890987654321","changes":[{"value":{"messaging_product":"whatsapp","metadata":{"display_phone_number":"972123456789","phone_number_id":"1122334455667"},"contacts":[{"profile":{"name":"Test Name"},"wa_id":"972987654321","user_id":"US.13491208655302741918","parent_user_id":"US.ENT.11815799212886844830"}],"messages":[{"from":"972987654321","id":"wamid.xyzxyz","timestamp":"1697043223","text":{"body":"Ma\\u00f1ana a las 9 \\u00e9\\/\\u00f1 \\ud83d\\ude00"},"type":"text"}]},"field":"messages"}]}]}';
const SIGNATURE = 'sha256=d94c8f080f21d1e74d5e22ba424bd97bbf975db01e78646ccd14759fed5f4ba0';

let door: TestGateway;
beforeEach(async () => {
  door = await startTestGateway();
});
afterEach(() => door.stop());

const sign = (body: string | Uint8Array) => `sha256=${createHmac('sha256', CHAT_SECRET).update(body).digest('hex')}`;
const post = async (body: string | Uint8Array<ArrayBuffer>, signature?: string) => {
  const response = await fetch(`${door.url}/webhooks/chat`, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json', ...(signature !== undefined && { 'x-hub-signature-256': signature }) },
  });
  return { status: response.status, body: await response.json() };
};

describe('deliveries', () => {
  test('reach messaging as the bytes that came', async () => {
    expect((await post(BODY, SIGNATURE)).status).toBe(200);
    expect(door.calls).toMatchObject([{ rpc: 'ChatEventService.receiveChatEvent', caller: { kind: 'service', id: 'gateway' } }]);
    expect(Buffer.from(door.calls[0]?.request.body as Uint8Array).toString()).toBe(BODY);
  });

  test('in capitals, and of any bytes at all, are as good when they are signed', async () => {
    expect((await post(BODY, `sha256=${SIGNATURE.slice(7).toUpperCase()}`)).status).toBe(200);
    const bytes = Uint8Array.from([0xff, 0, 0xfe]);
    expect((await post(bytes, sign(bytes))).status).toBe(200);
  });

  test.each([
    ['no signature', undefined],
    ['an empty one', ''],
    ['another one', sign('another body')],
    ['that of the body written anew', sign(JSON.stringify(JSON.parse(BODY)))],
    ['no prefix', SIGNATURE.slice(7)],
    ['another hash', SIGNATURE.replace('sha256', 'sha1')],
    ['half of it', SIGNATURE.slice(0, 39)],
    ['more of it', `${SIGNATURE}00`],
    ['no hex', `sha256=${'z'.repeat(64)}`],
  ])('with %s are refused and reach nobody', async (_what, signature) => {
    expect(await post(BODY, signature)).toMatchObject({ status: 401, body: { code: 'INVALID_SIGNATURE' } });
    expect(door.calls).toEqual([]);
  });

  test('above 3 MB are refused, below they are taken', async () => {
    const large = Buffer.alloc(3 * 1024 * 1024, 'x');
    expect((await post(large, sign(large))).status).toBe(200);
    const larger = Buffer.alloc(3 * 1024 * 1024 + 1, 'x');
    expect((await post(larger, sign(larger))).status).toBe(413);
  });

  test('that cannot be stored are answered 503 within half a second, so that they come again', async () => {
    const faults: (() => unknown)[] = [
      () => new Promise(() => {}),
      () => {
        throw new ServiceError('UNAVAILABLE');
      },
      () => {
        throw new Error('a fault of ours');
      },
    ];
    for (const fault of faults) {
      door.replies['ChatEventService.receiveChatEvent'] = fault;
      const started = performance.now();
      expect(await post(BODY, SIGNATURE)).toMatchObject({ status: 503, body: { code: 'UNAVAILABLE' } });
      expect(performance.now() - started).toBeLessThan(500);
    }
  });
});

describe('the check of the address', () => {
  const ask = async (query: string) => {
    const response = await fetch(`${door.url}/webhooks/chat?${query}`);
    return [response.status, await response.text(), response.headers.get('content-type')];
  };

  test('gives the challenge back as it came', async () => {
    const wanted = 'hub.mode=subscribe&hub.verify_token=verify-token-of-the-tests&hub.challenge=1158201444%3Cb%3E';
    expect(await ask(wanted)).toEqual([200, '1158201444<b>', 'text/plain; charset=utf-8']);
  });

  test.each(['hub.mode=subscribe&hub.verify_token=wrong&hub.challenge=1', 'hub.mode=other&hub.verify_token=verify-token-of-the-tests&hub.challenge=1', ''])(
    'is refused: %s',
    async (query) => {
      expect(await ask(query)).toEqual([403, expect.stringContaining('FORBIDDEN'), expect.anything()]);
    },
  );

  test('other methods are told which there are', async () => {
    const response = await fetch(`${door.url}/webhooks/chat`, { method: 'PUT' });
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD, POST']);
  });
});
