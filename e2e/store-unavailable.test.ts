// Webhooks while PostgreSQL is unavailable, first frozen and then killed. The sender receives 503 within half a second and delivers again; afterwards
// each message is in its thread once. The test has its own product, because it breaks it, and runs in one topology, because both behave in the same
// way.
import { createHmac, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { publicApi } from '@clinic/lib/testing/public-api.ts';
import { waitFor } from '@clinic/lib/testing/wait-for.ts';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { familyOf, signal } from '../scripts/processes.ts';
import { type Api, apiAt, type Body, expectStatus } from './api.ts';
import { type Clinic, freshPhone, newClinic } from './clinic.ts';
import { type OwnProduct, startOwnProduct } from './own-product.ts';
import { secret } from './product-internals.ts';

const WITHIN_MS = 500;
/** The payment provider retries a delivery only a few times, so the gateway waits longer for the database. */
const PAYMENT_WITHIN_MS = 9_000;

const inOneProcess = publicApi().topology === 'single' ? describe : describe.skip;

inOneProcess('while PostgreSQL is unavailable', () => {
  let product: OwnProduct;
  let api: Api;
  let clinic: Clinic;
  let numberId: string;
  const phone = freshPhone();

  beforeAll(async () => {
    product = await startOwnProduct({ PAYMENTS_VARIANTS: '{"111":{"plan":"pro","cycle":"month"}}' });
    api = apiAt(product.api, { once: true });
    clinic = await newClinic(api);
    const number = freshPhone();
    await expectStatus(
      200,
      api.post('/api/chat/start', { phone: number, otpMethod: 'sms', wabaId: `waba-${clinic.id}`, accessToken: 'EAAGtest-token' }, clinic),
    );
    await expectStatus(200, api.post('/api/chat/verify-otp', { code: '123456' }, clinic));
    numberId = `999${number.slice(1)}`;
  });
  afterAll(async () => {
    await product?.stop();
  });

  const postmaster = () => Number(readFileSync(path.join(product.api.dataDir, 'postgres/cluster/postmaster.pid'), 'utf8').split('\n')[0]);

  /** Signals all processes of PostgreSQL, which are not in one process group. */
  const signalAll = (name: NodeJS.Signals) => signal(familyOf(postmaster()), name);

  function chat(id: string, text: string) {
    const messages = [{ from: phone.slice(1), id, timestamp: String(Math.floor(Date.now() / 1000)), type: 'text', text: { body: text } }];
    const value = {
      messaging_product: 'whatsapp',
      metadata: { phone_number_id: numberId },
      contacts: [{ profile: { name: 'Rosa' }, wa_id: phone.slice(1) }],
      messages,
    };
    return post('/webhooks/chat', { object: 'whatsapp_business_account', entry: [{ id: '1', changes: [{ field: 'messages', value }] }] }, (hex, body) => ({
      'X-Hub-Signature-256': `sha256=${hex('CHAT_APP_SECRET', body)}`,
    }));
  }
  const paid = (id: string) =>
    post(
      '/webhooks/payments',
      {
        meta: { event_name: 'order_created', custom_data: { clinic_id: clinic.id } },
        data: { type: 'orders', id, attributes: { order_number: 1, status: 'paid', total: 2900, first_order_item: { variant_id: 111 } } },
      },
      (hex, body) => ({ 'X-Signature': hex('PAYMENTS_WEBHOOK_SECRET', body) }),
    );
  async function post(at: string, content: Body, headersOf: (hex: (name: string, body: string) => string, body: string) => Record<string, string>) {
    const body = JSON.stringify(content);
    const hex = (name: string, text: string) => createHmac('sha256', secret(product.api, name)).update(text).digest('hex');
    const headers = headersOf(hex, body);
    const begun = performance.now();
    const { status } = await api.post(at, body, { headers });
    return { status, ms: performance.now() - begun };
  }

  const thread = async () => {
    const { body } = await expectStatus(200, api.get(`/api/conversations/${encodeURIComponent(phone)}/messages`, clinic));
    return body.messages.filter(({ direction }: Body) => direction === 'in').map(({ text }: Body) => text);
  };

  /** Expects 503 for all deliveries, and the quickest response within the limit, because other work on the machine delays some. */
  async function refused(deliver: () => Promise<{ status: number; ms: number }>[], withinMs = WITHIN_MS) {
    let fastest = Infinity;
    for (let times = 0; times < 5 && fastest >= withinMs; times++) {
      const answers = await Promise.all(deliver());
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 503));
      fastest = Math.min(fastest, ...answers.map(({ ms }) => ms));
    }
    expect(fastest).toBeLessThan(withinMs);
  }

  test('frozen', async () => {
    const first = `wamid.${randomUUID()}`;
    await waitFor(async () => (await chat(first, 'antes')).status === 200); // 503 while the machine is busy
    await waitFor(async () => (await api.get('/api/conversations', clinic)).body.total === 1);
    const ids = Array.from({ length: 8 }, () => `wamid.${randomUUID()}`);
    const order = String(Date.now());
    signalAll('SIGSTOP');
    try {
      await refused(() => ids.map((id, index) => chat(id, `durante ${index}`)));
      await refused(() => [chat(ids[0] ?? '', 'durante 0')]);
      await refused(() => [paid(order)], PAYMENT_WITHIN_MS);
    } finally {
      signalAll('SIGCONT');
    }
    for (const [index, id] of ids.entries()) await waitFor(async () => (await chat(id, `durante ${index}`)).status === 200);
    await waitFor(async () => (await paid(order)).status === 200);
    const all = ['antes', ...ids.map((_, index) => `durante ${index}`)].toSorted();
    await waitFor(async () => expect((await thread()).toSorted()).toEqual(all));
    await waitFor(async () => (await api.get('/api/auth/me', clinic)).body.subscription.plan === 'pro');
  });

  test('killed, and restarted by the product', async () => {
    const known = (await thread()).length;
    const ids = Array.from({ length: 8 }, () => `wamid.${randomUUID()}`);
    const id = `wamid.${randomUUID()}`;
    const before = postmaster();
    await Promise.all(ids.map((one, index) => waitFor(async () => (await chat(one, `al caer ${index}`)).status === 200)));
    signalAll('SIGKILL'); // while they are processed
    expect((await chat(id, 'después')).status).toBe(503);
    await waitFor(async () => (await chat(id, 'después')).status === 200, 30_000);
    expect(postmaster()).not.toBe(before);
    await waitFor(async () => expect(await thread()).toHaveLength(known + ids.length + 1), 15_000);
    await waitFor(async () => (await chat(id, 'después')).status === 200); // once more
    expect((await thread()).filter((text: string) => text === 'después')).toHaveLength(1);
  });
});
