// From the raw event to what identity is told, whatever is away on the way there.
import { randomUUID } from 'node:crypto';
import { timestampDate } from '@bufbuild/protobuf/wkt';
import { asAdmin, asAnonymous, asOperator, asService } from '@clinic/lib/testing/callers.ts';
import { waitFor } from '@clinic/lib/testing/wait-for.ts';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { instant, invoiceBody, orderBody, subscriptionBody } from '../testing/provider-events.ts';
import { type Billing, NOW, startBilling } from '../testing/start-billing.ts';

let b: Billing;
beforeAll(async () => {
  b = await startBilling();
});
afterAll(() => b.stop());
afterEach(() => {
  b.identity.mood = 'answers';
});

const DAY_MS = 86_400_000;
const inDays = (days: number) => new Date(NOW.getTime() + days * DAY_MS);
const toldOf = (clinicId: string) =>
  b.told
    .filter((request) => request.clinicId === clinicId)
    .map(({ plan, status, revision, expiresAt }) => ({ plan, status, revision, until: expiresAt && timestampDate(expiresAt) }));
const stateOf = async (clinicId: string) =>
  (await b.look('select plan, status, expires_at, revision, applied_revision from clinic_subscriptions where clinic_id = $1', [clinicId]))[0];
let ids = 1000;

test('an order gives its plan for a cycle, and identity is told once', async () => {
  const clinicId = randomUUID();
  const order = ++ids;
  const body = orderBody('order_created', order, NOW, { clinicId });
  const id = await b.receive(body);
  expect(await b.receive(body)).toBe(id);
  expect(await b.settled([id])).toEqual(['applied']);
  await waitFor(() => toldOf(clinicId).length > 0);
  expect(toldOf(clinicId)).toEqual([{ plan: 'basic', status: 'provisional', revision: 1, until: new Date('2026-07-01T14:00:00Z') }]);
  const [row] = await b.look('select order_id, clinic_id, status, total_cents, revision from orders where order_id = $1', [String(order)]);
  expect(row).toEqual({ order_id: String(order), clinic_id: clinicId, status: 'paid', total_cents: '2900', revision: 1 });
  // The same happening under another id of the event, with the id of the order as text.
  const repeated = await b.receive(orderBody('order_created', String(order), NOW, { clinicId }));
  expect(await b.settled([repeated])).toEqual(['applied']);
  expect(toldOf(clinicId)).toHaveLength(1);
  expect(await b.look('select 1 from outbox where clinic_id = $1', [clinicId])).toHaveLength(2);
});

test('a life: subscribed, failed, recovered, cancelled, refunded', async () => {
  const clinicId = randomUUID();
  const [order, subscription] = [++ids, ++ids];
  const links = { order_id: order, created_at: instant(NOW) };
  const steps = [
    orderBody('order_created', order, NOW, { clinicId }, 222),
    subscriptionBody('subscription_created', subscription, NOW, 'active', { ...links, renews_at: instant(inDays(30)) }, { clinicId }, 222),
    invoiceBody('subscription_payment_failed', 50_000 + subscription, subscription, inDays(30)),
    subscriptionBody('subscription_updated', subscription, inDays(33), 'active', { ...links, renews_at: instant(inDays(60)) }, {}, 222),
    subscriptionBody('subscription_cancelled', subscription, inDays(40), 'cancelled', { ...links, ends_at: instant(inDays(60)) }, {}, 222),
  ];
  for (const [index, step] of steps.entries()) {
    b.clock.set(inDays([0, 0, 30, 33, 40][index] ?? 0));
    expect(await b.worked([await b.receive(step)])).toEqual(['applied']);
  }
  b.clock.set(NOW);
  await waitFor(() => toldOf(clinicId).length === 5);
  expect(toldOf(clinicId).map(({ plan, status, until }) => [plan, status, until])).toEqual([
    ['pro', 'provisional', new Date('2026-07-01T14:00:00Z')],
    ['pro', 'active', inDays(30)],
    ['pro', 'past_due', inDays(37)],
    ['pro', 'active', inDays(60)],
    ['pro', 'cancelled', inDays(60)],
  ]);
});

test('a payment that comes before the subscription that it is for counts once that has come', async () => {
  const clinicId = randomUUID();
  const [order, subscription] = [++ids, ++ids];
  const payment = await b.receive(invoiceBody('subscription_payment_success', 60_000 + subscription, subscription, inDays(-1)));
  const unnamed = await b.receive(subscriptionBody('subscription_created', subscription, NOW, 'active', { order_id: order, renews_at: instant(inDays(30)) }));
  expect(await b.worked([payment, unnamed])).toEqual(['unknown_clinic', 'unknown_clinic']);
  expect(await b.worked([await b.receive(orderBody('order_created', order, NOW, { clinicId }))])).toEqual(['applied']);
  await waitFor(async () => (await b.find(payment))?.status === 'applied' && (await b.find(unnamed))?.status === 'applied');
  await waitFor(() => toldOf(clinicId).length === 1);
  expect(toldOf(clinicId)[0]).toMatchObject({ plan: 'basic', status: 'active', until: inDays(30) });
});

test('whole histories at once, shuffled and repeated, leave every clinic the same', async () => {
  const clinics = Array.from({ length: 4 }, () => randomUUID());
  const sent: Promise<string>[] = [];
  for (const clinicId of clinics) {
    const [order, subscription] = [++ids, ++ids];
    const links = { order_id: order, created_at: instant(inDays(-40)) };
    const history = [
      orderBody('order_created', order, inDays(-40), { clinicId }),
      subscriptionBody('subscription_created', subscription, inDays(-40), 'active', { ...links, renews_at: instant(inDays(-10)) }, { clinicId }),
      subscriptionBody('subscription_updated', subscription, inDays(-40), 'active', { ...links, renews_at: instant(inDays(-40)) }, { clinicId }),
      invoiceBody('subscription_payment_failed', 70_000 + subscription, subscription, inDays(-10)),
      subscriptionBody('subscription_updated', subscription, inDays(-10), 'past_due', { ...links, renews_at: instant(inDays(-9)) }, { clinicId }),
      invoiceBody('subscription_payment_recovered', 70_000 + subscription, subscription, inDays(-8)),
      subscriptionBody('subscription_updated', subscription, inDays(-8), 'active', { ...links, renews_at: instant(inDays(20)) }, { clinicId }, 222),
    ];
    const shuffled = [...history, ...history].map((body) => ({ body, at: Math.random() })).sort((one, other) => one.at - other.at);
    sent.push(...shuffled.map(({ body }) => b.receive(body)));
  }
  await b.settled([...new Set(await Promise.all(sent))]);
  for (const clinicId of clinics) {
    const state = await waitFor(async () => {
      const row = await stateOf(clinicId);
      return row?.applied_revision === row?.revision && row;
    });
    expect(state).toMatchObject({ plan: 'pro', status: 'active', expires_at: inDays(20) });
    expect(toldOf(clinicId).at(-1)).toMatchObject({ plan: 'pro', until: inDays(20) });
  }
});

describe('when identity', () => {
  test.each(['away', 'lost'] as const)('is %s, it is told as soon as it answers', async (mood) => {
    b.identity.mood = mood;
    const clinicId = randomUUID();
    await b.worked([await b.receive(orderBody('order_created', ++ids, NOW, { clinicId }))]);
    expect(await stateOf(clinicId)).toMatchObject({ revision: 1, applied_revision: 0 });
    b.identity.mood = 'answers';
    await waitFor(async () => (await stateOf(clinicId))?.applied_revision === 1, 20_000);
    expect(new Set(toldOf(clinicId).map(({ revision }) => revision))).toEqual(new Set([1]));
  });

  test('knows no such clinic, the events wait for an operator, whose replay helps', async () => {
    b.identity.mood = 'ignorant';
    const clinicId = randomUUID();
    const id = await b.receive(orderBody('order_created', ++ids, NOW, { clinicId }));
    await waitFor(async () => (await b.find(id))?.status === 'unknown_clinic');
    expect(await b.find(id)).toMatchObject({ reason: 'there is no such clinic', clinicId });
    b.identity.mood = 'answers';
    expect(await b.replay(id)).toMatchObject({ status: 'received' });
    await waitFor(async () => (await b.find(id))?.status === 'applied' && toldOf(clinicId).length === 1);
    const [line] = await b.look(`select actor_id, action, entity from audit_log where entity_id = $1`, [id]);
    expect(line).toEqual({ actor_id: 'maria', action: 'payment_event.replayed', entity: 'payment_event' });
    const { actions, total } = await b.states.listOperatorActions({ entityId: id }, asService('platform'));
    expect([total, actions]).toMatchObject([1, [{ operator: 'maria', action: 'payment_event.replayed', clinicId }]]);
  });
});

describe('an order after a subscription that ended the same day', () => {
  const bought = { plan: 'pro', status: 'provisional', expires_at: new Date('2026-07-01T14:00:00Z') };
  const ended = (clinicId: string) =>
    subscriptionBody(
      'subscription_expired',
      ++ids,
      inDays(-0.1),
      'expired',
      { ends_at: instant(inDays(-0.1)), created_at: instant(inDays(-0.5)) },
      { clinicId },
    );
  const receiveBoth = async (clinicId: string) => {
    const events = [await b.receive(ended(clinicId)), await b.receive(orderBody('order_created', ++ids, NOW, { clinicId }, 222))];
    expect(await b.worked(events)).toEqual(['applied', 'applied']);
    return events;
  };

  test('counts', async () => {
    const clinicId = randomUUID();
    await receiveBoth(clinicId);
    expect(await stateOf(clinicId)).toMatchObject(bought);
    await waitFor(() => expect(toldOf(clinicId).at(-1)).toMatchObject({ plan: 'pro', status: 'provisional' }));
  });

  test('counts after a replay of any stored event of the clinic, where an earlier release had ignored it', async () => {
    const clinicId = randomUUID();
    const [expired = ''] = await receiveBoth(clinicId);
    await b.look(
      `update clinic_subscriptions set plan = 'basic', status = 'ended', expires_at = $2, revision = revision + 1, applied_revision = revision + 1 where clinic_id = $1`,
      [clinicId, inDays(-0.1)],
    );
    const before = await stateOf(clinicId);
    await b.replay(expired);
    await waitFor(
      async () => expect(await stateOf(clinicId)).toMatchObject({ ...bought, revision: before.revision + 1, applied_revision: before.revision + 1 }),
      20_000,
    );
    expect(toldOf(clinicId).at(-1)).toEqual({ plan: 'pro', status: 'provisional', revision: before.revision + 1, until: bought.expires_at });
  });
});

test('an event that was understood keeps its plan when it is replayed after its variant left the settings', async () => {
  const clinicId = randomUUID();
  const events = [await b.receive(orderBody('order_created', ++ids, NOW, { clinicId }, 222))];
  expect(await b.worked(events)).toEqual(['applied']);
  expect(await b.worked(events, {})).toEqual(['applied']);
  expect(await stateOf(clinicId)).toMatchObject({ plan: 'pro', revision: 1 });
});

test('a job that was lost is made good by the sweep', async () => {
  const clinicId = randomUUID();
  b.identity.mood = 'away';
  const id = await b.receive(orderBody('order_created', ++ids, NOW, { clinicId }));
  await b.settled([id]);
  await b.look(`delete from billing_jobs.job`);
  await b.look(`update payment_events set status = 'received' where id = $1`, [id]);
  b.identity.mood = 'answers';
  b.clock.advance(120_000);
  await b.sweep();
  expect(await b.find(id)).toMatchObject({ status: 'applied' });
  expect(await stateOf(clinicId)).toMatchObject({ applied_revision: 1 });
  b.clock.set(NOW);
});

describe('what is of no use is kept', () => {
  const clinicId = randomUUID();
  test.each([
    ['no JSON', 'nonsense', 'unusable'],
    ['nothing', '', 'unusable'],
    ['no UTF-8', Uint8Array.of(0xff, 0xfe, 0, 1), 'unusable'],
    ['an array', '[1,2,3]', 'unusable'],
    ['null', 'null', 'unusable'],
    ['no name', '{"data":{"id":"1"}}', 'unusable'],
    ['wrong kinds', { meta: { event_name: 'order_created', custom_data: 7 }, data: [] }, 'unusable'],
    ['a deep one', `${'['.repeat(200_000)}`, 'unusable'],
    ['a name that reaches into the prototype', { meta: { event_name: 'constructor' }, data: { id: '1' } }, 'ignored'],
    ['another event', { meta: { event_name: 'license_key_created' }, data: { id: '1' } }, 'ignored'],
    ['an unpaid order', orderBody('order_created', 1, NOW, { clinicId, attributes: { status: 'pending' } }), 'ignored'],
    ['no clinic', orderBody('order_created', 900, NOW), 'unknown_clinic'],
    ['a clinic that is no UUID', orderBody('order_created', 901, NOW, { meta: { custom_data: { clinic_id: "' or 1=1" } } }), 'unknown_clinic'],
    ['another variant', orderBody('order_created', 902, NOW, { clinicId }, 999), 'unknown_variant'],
    ['a variant of the prototype', orderBody('order_created', 903, NOW, { clinicId }, 'constructor'), 'unknown_variant'],
    [
      'a subscription to nobody knows what',
      subscriptionBody('subscription_updated', 905, NOW, 'active', { variant_id: undefined }, { clinicId: randomUUID() }),
      'unknown_variant',
    ],
    ['an invoice of nothing', { meta: { event_name: 'subscription_payment_success' }, data: { id: '1', attributes: {} } }, 'unusable'],
    ['an unheard-of status', subscriptionBody('subscription_updated', 904, NOW, 'asleep', {}, { clinicId }), 'unusable'],
    ['a body of 1 MiB', `"${'x'.repeat(1_048_574)}"`, 'unusable'],
  ] as [string, object | string | Uint8Array, string][])('%s: %s', async (_what, body, status) => {
    const id = await b.receive(body);
    expect(await b.worked([id])).toEqual([status]);
    expect((await b.find(id))?.reason).toEqual(expect.any(String));
    expect(toldOf(clinicId)).toEqual([]);
  });

  test('the header names an event whose body does not', async () => {
    const { meta, ...body } = orderBody('order_created', ++ids, NOW, { webhookId: null });
    const id = await b.receive({ ...body, meta: { custom_data: { clinic_id: randomUUID() } } }, 'order_created');
    expect([await b.worked([id]), meta.event_name]).toEqual([['applied'], 'order_created']);
  });

  test('nothing personal is readable, neither at rest nor in the list', async () => {
    const id = await b.receive(orderBody('order_created', ++ids, NOW, { clinicId: randomUUID() }));
    await b.worked([id]);
    const [event] = await b.look(
      'select e::text as text, f.fact::text as fact from payment_events e left join payment_facts f on f.event_id = e.id where e.id = $1',
      [id],
    );
    expect(event.text + event.fact).not.toMatch(/ana@example|Ana Rivas|616e61406578616d706c65/);
    expect(JSON.stringify(await b.find(id), (_key, value) => (typeof value === 'bigint' ? String(value) : value))).not.toMatch(/ana@/);
    expect(JSON.stringify(await b.look('select * from outbox'))).not.toMatch(/ana@/);
  });
});

test('the list is filtered and paged', async () => {
  const { events, total } = await b.events.listPaymentEvents({ status: 'unknown_variant', limit: 1 }, asOperator());
  expect(events).toMatchObject([{ status: 'unknown_variant' }]);
  expect(total).toBe(3);
  expect((await b.events.listPaymentEvents({ status: 'unknown_variant', limit: 1, page: 4 }, asOperator())).events).toEqual([]);
  await expect(b.events.listPaymentEvents({ status: 'gone' }, asOperator())).rejects.toMatchObject({ reason: 'VALIDATION_ERROR' });
  await expect(b.replay(randomUUID())).rejects.toMatchObject({ reason: 'NOT_FOUND' });
  await expect(b.replay('x')).rejects.toMatchObject({ reason: 'NOT_FOUND' });
});

test('only who may, may', async () => {
  for (const caller of [asAnonymous(), asAdmin(randomUUID()), asOperator()])
    await expect(b.events.receivePaymentEvent({ body: Buffer.from('{}') }, caller)).rejects.toMatchObject({
      reason: expect.stringMatching(/UNAUTHENTICATED|FORBIDDEN/),
    });
  for (const caller of [asAnonymous(), asAdmin(randomUUID()), asService('gateway')])
    await expect(b.events.listPaymentEvents({}, caller)).rejects.toMatchObject({ reason: expect.stringMatching(/UNAUTHENTICATED|FORBIDDEN/) });
});

test('pages of orders', async () => {
  const { orders } = await b.states.listOrderStates({ limit: 2 }, asService('platform'));
  expect(orders).toHaveLength(2);
  const next = await b.states.listOrderStates({ afterOrderId: orders[1]?.orderId ?? '', limit: 5_000 }, asService('platform'));
  const all = [...orders, ...next.orders].map(({ orderId }) => orderId);
  expect(all).toEqual((await b.look('select order_id from orders order by order_id')).map(({ order_id }) => order_id));
});

test('in production test events mean nothing', async () => {
  const production = await startBilling({ NODE_ENV: 'production' });
  try {
    const clinicId = randomUUID();
    const id = await production.receive(orderBody('order_created', 1, NOW, { clinicId, meta: { test_mode: true } }));
    expect(await production.settled([id])).toEqual(['ignored']);
    expect(production.told).toEqual([]);
  } finally {
    await production.stop();
  }
});
