// A clinic's payments, from the provider's signed webhook event to the clinic's access.
import { createHmac, randomUUID } from 'node:crypto';
import { waitFor } from '@clinic/lib/testing/wait-for.ts';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { apiAt, type Body, expectStatus } from './api.ts';
import { type Clinic, newClinic } from './clinic.ts';
import { type OwnProduct, startOwnProduct } from './own-product.ts';
import { asOwner } from './product-internals.ts';
import { runScript } from './setup/ops.ts';

const SECRET = 'a-secret-of-the-tests';
const VARIANTS = { 111: { plan: 'basic', cycle: 'month' }, 222: { plan: 'pro', cycle: 'month' } };
const DAY_MS = 86_400_000;

let own: OwnProduct;
let api: ReturnType<typeof apiAt>;
beforeAll(async () => {
  own = await startOwnProduct({ PAYMENTS_WEBHOOK_SECRET: SECRET, PAYMENTS_VARIANTS: JSON.stringify(VARIANTS) });
  api = apiAt(own.api);
});
afterAll(() => own?.stop());

const send = (raw: string, key = SECRET, through = api) =>
  through.post('/webhooks/payments', raw, { headers: { 'X-Signature': createHmac('sha256', key).update(raw).digest('hex') } });

let ids = Math.floor(Math.random() * 1_000_000_000);

function order(clinicId: string | undefined, variant: number | string = 111, more: Body = {}): Body {
  const at = new Date().toISOString();
  const first_order_item = { variant_id: variant, variant_name: 'Default' };
  return {
    meta: { event_name: 'order_created', webhook_id: randomUUID(), custom_data: { clinic_id: clinicId } },
    data: {
      type: 'orders',
      id: String(++ids),
      attributes: { order_number: 1, user_email: 'ana@example.com', status: 'paid', total: 2900, first_order_item, created_at: at, ...more },
    },
  };
}

function subscription(event_name: string, id: number, clinicId: string, attributes: Body): Body {
  return {
    meta: { event_name, webhook_id: randomUUID(), custom_data: { clinic_id: clinicId } },
    data: { type: 'subscriptions', id, attributes: { variant_id: 222, updated_at: new Date().toISOString(), ...attributes } },
  };
}

const planOf = async (clinic: Clinic) => {
  const { body } = await api.get('/api/superadmin/clinics', api.operator);
  const { subscription_plan, subscription_expires_at } = body.find(({ id }: Body) => id === clinic.id);
  return { plan: subscription_plan, days: (Date.parse(subscription_expires_at) - Date.now()) / DAY_MS };
};
const eventsOf = async (status: string) => (await expectStatus(200, api.get(`/api/superadmin/webhook-events?status=${status}&limit=500`, api.operator))).body;

test('an order upgrades a trial to its plan, and is counted', async () => {
  const clinic = await newClinic(api, { plan: 'trial' });
  const before = (await api.get('/api/superadmin/stats', api.operator)).body;
  const raw = JSON.stringify(order(clinic.id)).replaceAll('/', '\\/');
  for (let times = 0; times < 3; times++) expect(await send(raw)).toMatchObject({ status: 200 });
  await waitFor(async () => expect((await planOf(clinic)).plan).toBe('basic'));
  const { days } = await planOf(clinic);
  expect(days).toBeGreaterThan(27);
  expect(days).toBeLessThan(31.1);
  await waitFor(async () => {
    const { body } = await api.get('/api/superadmin/stats', api.operator);
    expect(body).toMatchObject({ totalOrders: before.totalOrders + 1, revenueThisMonth: before.revenueThisMonth + 29 });
  });
});

test('the end of a subscription ends the access of the clinic, and a resumed one restores it', async () => {
  const clinic = await newClinic(api, { plan: 'trial' });
  const id = ++ids;
  const renews_at = new Date(Date.now() + 30 * DAY_MS).toISOString();
  const get = async () => (await api.get('/api/doctors', clinic)).status;
  await send(JSON.stringify(subscription('subscription_created', id, clinic.id, { status: 'active', renews_at })));
  await waitFor(async () => expect((await planOf(clinic)).plan).toBe('pro'));
  await send(JSON.stringify(subscription('subscription_expired', id, clinic.id, { status: 'expired' })));
  await waitFor(async () => expect(await get()).toBe(402));
  await send(JSON.stringify(subscription('subscription_resumed', id, clinic.id, { status: 'active', renews_at })));
  await waitFor(async () => expect(await get()).toBe(200));
});

test('an order after a subscription that has just ended restores access; `ops replay subscriptions` repairs a clinic without it', async () => {
  const clinic = await newClinic(api, { plan: 'trial' });
  const get = async () => (await api.get('/api/doctors', clinic)).status;
  const ended = { status: 'expired', created_at: new Date(Date.now() - 7_200_000).toISOString(), ends_at: new Date(Date.now() - 3_600_000).toISOString() };
  await send(JSON.stringify(subscription('subscription_expired', ++ids, clinic.id, ended)));
  await waitFor(async () => expect(await get()).toBe(402));
  await send(JSON.stringify(order(clinic.id)));
  await waitFor(async () => expect(await get()).toBe(200));

  // The state in which an earlier release left such a clinic.
  await asOwner(
    own.api,
    `update billing.clinic_subscriptions set plan = 'pro', status = 'ended', expires_at = now() - interval '1 hour', source_event_id =
       (select id from billing.payment_events where clinic_id = $1 and event_name = 'subscription_expired'), revision = revision + 1,
       applied_revision = revision + 1 where clinic_id = $1`,
    [clinic.id],
  );
  await expectStatus(200, api.patch(`/api/superadmin/clinics/${clinic.id}`, { expiresInDays: 0 }, api.operator));
  expect(await get()).toBe(402);
  expect(await runScript(own.api.dataDir, 'ops', 'replay', 'subscriptions')).toMatchObject({
    status: 0,
    stderr: '',
    stdout: expect.stringContaining('queued again'),
  });
  await waitFor(async () => expect(await get()).toBe(200));
});

test('forever_free is never touched', async () => {
  const clinic = await newClinic(api, { plan: 'forever_free' });
  await send(JSON.stringify(order(clinic.id)));
  await waitFor(async () => expect((await eventsOf('applied')).events.some((event: Body) => event.clinic_id === clinic.id)).toBe(true));
  expect((await planOf(clinic)).plan).toBe('forever_free');
});

describe('an event that cannot be used', () => {
  test('is stored, listed without personal data, and can be replayed', async () => {
    const body = order(randomUUID(), 999);
    await expectStatus(200, send(JSON.stringify(body)));
    await expectStatus(200, send('no JSON at all'));
    const event = await waitFor(async () => (await eventsOf('unknown_variant')).events.find(({ order_id }: Body) => order_id === body.data.id) ?? false);
    expect(event).toEqual({
      id: expect.any(String),
      event_name: 'order_created',
      status: 'unknown_variant',
      reason: expect.any(String),
      clinic_id: body.meta.custom_data.clinic_id,
      order_id: body.data.id,
      subscription_id: null,
      variant_id: '999',
      received_at: expect.stringMatching(/Z$/),
      processed_at: expect.stringMatching(/Z$/),
    });
    await waitFor(async () => expect((await eventsOf('unusable')).total).toBeGreaterThan(0));
    const replayed = await expectStatus(200, api.post(`/api/superadmin/webhook-events/${event.id}/replay`, undefined, api.operator));
    expect(replayed.body).toMatchObject({ id: event.id, status: 'received' });
    const { body: log } = await api.get(`/api/superadmin/audit-log?entity_id=${event.id}`, api.operator);
    expect(log).toMatchObject({ actions: [{ operator: 'operator', action: 'payment_event.replayed', entity: 'payment_event' }], total: 1, page: 1, limit: 50 });
    const missing = { status: 404, body: { error: 'Webhook event not found', code: 'NOT_FOUND' } };
    for (const id of [randomUUID(), 'x']) expect(await api.post(`/api/superadmin/webhook-events/${id}/replay`, undefined, api.operator)).toMatchObject(missing);
  });

  test('is refused unless it is signed', async () => {
    const raw = JSON.stringify(order(randomUUID()));
    expect(await send(raw, 'another secret')).toMatchObject({ status: 401, body: { code: 'INVALID_SIGNATURE' } });
    expect(await api.post('/webhooks/payments', raw)).toMatchObject({ status: 401, body: { code: 'INVALID_SIGNATURE' } });
  });
});

test('100 concurrent events are all stored within half a second each, or refused', async () => {
  const bodies = Array.from({ length: 100 }, () => order(undefined));
  const once = apiAt(own.api, { once: true });
  const started = performance.now();
  const answers = await Promise.all(bodies.map((body) => send(JSON.stringify(body), SECRET, once)));
  expect(performance.now() - started).toBeLessThan(10_000);
  for (const { status } of answers) expect([200, 503]).toContain(status);
  const stored = answers.filter(({ status }) => status === 200).length;
  const [{ count }] = await asOwner(own.api, 'select count(*)::int as count from billing.payment_events');
  expect(count).toBeGreaterThanOrEqual(stored);
});
