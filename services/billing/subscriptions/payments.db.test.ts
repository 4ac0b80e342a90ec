// From the event of the payment provider to the plan that identity applies, also when identity is unavailable.
import { randomUUID } from 'node:crypto';
import { timestampDate } from '@bufbuild/protobuf/wkt';
import { asAdmin, asAnonymous, asOperator, asService } from '@clinic/lib/testing/callers.ts';
import { waitFor } from '@clinic/lib/testing/wait-for.ts';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { instant, invoiceBody, orderBody, subscriptionBody } from '../testing/provider-events.ts';
import { type Billing, NOW, startBilling } from '../testing/start-billing.ts';

let billing: Billing;
beforeAll(async () => {
  billing = await startBilling();
});
afterAll(() => billing.stop());
afterEach(() => {
  billing.identity.mode = 'available';
});

const DAY_MS = 86_400_000;
const inDays = (days: number) => new Date(NOW.getTime() + days * DAY_MS);
/** Without repeated calls with the same revision, which identity ignores. */
const appliedFor = (clinicId: string) =>
  billing.applied
    .filter((request) => request.clinicId === clinicId)
    .filter(({ revision }, index, all) => all.findIndex((request) => request.revision === revision) === index)
    .map(({ plan, status, revision, expiresAt }) => ({ plan, status, revision, until: expiresAt && timestampDate(expiresAt) }));
const stateOf = async (clinicId: string) =>
  (await billing.query('select plan, status, expires_at, revision, applied_revision from clinic_subscriptions where clinic_id = $1', [clinicId]))[0];
/** The events that billing has published about a clinic, oldest first. */
const publishedFor = async (clinicId: string) =>
  (await billing.query('select payload from outbox where clinic_id = $1 order by id', [clinicId])).map(({ payload }) => payload);
const listedOrders = async () => (await billing.states.listOrderStates({ limit: 5_000 }, asService('platform'))).orders.map(({ orderId }) => orderId);
let ids = 1000;

test('an order pays for its plan for one cycle, which is applied and published once', async () => {
  const clinicId = randomUUID();
  const order = ++ids;
  const body = orderBody('order_created', order, NOW, { clinicId });
  const id = await billing.receive(body);
  expect(await billing.receive(body)).toBe(id);
  expect(await billing.settled([id])).toEqual(['applied']);
  await waitFor(() => appliedFor(clinicId).length > 0);
  expect(appliedFor(clinicId)).toEqual([{ plan: 'basic', status: 'provisional', revision: 1, until: new Date('2026-07-01T14:00:00Z') }]);
  const [row] = await billing.query('select order_id, clinic_id, status, total_cents, revision from orders where order_id = $1', [String(order)]);
  expect(row).toEqual({ order_id: String(order), clinic_id: clinicId, status: 'paid', total_cents: '2900', revision: 1 });
  // The same order under another event id, with its order id as text.
  const repeated = await billing.receive(orderBody('order_created', String(order), NOW, { clinicId }));
  expect(await billing.settled([repeated])).toEqual(['applied']);
  expect(appliedFor(clinicId)).toHaveLength(1);
  await waitFor(async () => (await stateOf(clinicId)).applied_revision === 1);
  expect(await publishedFor(clinicId)).toEqual([
    { plan: 'basic', status: 'provisional', revision: 1, expiresAt: '2026-07-01T14:00:00Z', sourceEventId: id },
    expect.objectContaining({ orderId: String(order), status: 'paid' }),
  ]);
});

test('a subscription from order to cancellation, with a failed payment', async () => {
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
    billing.clock.set(inDays([0, 0, 30, 33, 40][index] ?? 0));
    expect(await billing.processed([await billing.receive(step)])).toEqual(['applied']);
    await waitFor(() => appliedFor(clinicId).length > index); // otherwise the job of the event, which runs concurrently, may apply two states at once
  }
  billing.clock.set(NOW);
  expect(appliedFor(clinicId).map(({ plan, status, until }) => [plan, status, until])).toEqual([
    ['pro', 'provisional', new Date('2026-07-01T14:00:00Z')],
    ['pro', 'active', inDays(30)],
    ['pro', 'past_due', inDays(37)],
    ['pro', 'active', inDays(60)],
    ['pro', 'cancelled', inDays(60)],
  ]);
});

test('a payment that arrives before its subscription counts once the subscription has arrived', async () => {
  const clinicId = randomUUID();
  const [order, subscription] = [++ids, ++ids];
  const payment = await billing.receive(invoiceBody('subscription_payment_success', 60_000 + subscription, subscription, inDays(-1)));
  const unnamed = await billing.receive(
    subscriptionBody('subscription_created', subscription, NOW, 'active', { order_id: order, renews_at: instant(inDays(30)) }),
  );
  expect(await billing.processed([payment, unnamed])).toEqual(['unknown_clinic', 'unknown_clinic']);
  expect(await billing.processed([await billing.receive(orderBody('order_created', order, NOW, { clinicId }))])).toEqual(['applied']);
  await waitFor(async () => (await billing.find(payment))?.status === 'applied' && (await billing.find(unnamed))?.status === 'applied');
  await waitFor(() => appliedFor(clinicId).length > 0); // twice when the jobs of the events, which run concurrently, apply it too
  expect(appliedFor(clinicId)[0]).toMatchObject({ plan: 'basic', status: 'active', until: inDays(30) });
});

test('concurrent histories, shuffled and repeated, end in the same state for every clinic', async () => {
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
    sent.push(...shuffled.map(({ body }) => billing.receive(body)));
  }
  await billing.settled([...new Set(await Promise.all(sent))]);
  for (const clinicId of clinics) {
    const state = await waitFor(async () => {
      const row = await stateOf(clinicId);
      return row?.applied_revision === row?.revision && row;
    });
    expect(state).toMatchObject({ plan: 'pro', status: 'active', expires_at: inDays(20) });
    expect(appliedFor(clinicId).at(-1)).toMatchObject({ plan: 'pro', until: inDays(20) });
  }
});

describe('when identity', () => {
  test.each(['unavailable', 'lost'] as const)('is %s, the call is repeated until it answers', async (mode) => {
    billing.identity.mode = mode;
    const clinicId = randomUUID();
    await billing.processed([await billing.receive(orderBody('order_created', ++ids, NOW, { clinicId }))]);
    expect(await stateOf(clinicId)).toMatchObject({ revision: 1, applied_revision: 0 });
    billing.identity.mode = 'available';
    await waitFor(async () => (await stateOf(clinicId))?.applied_revision === 1);
    expect(new Set(appliedFor(clinicId).map(({ revision }) => revision))).toEqual(new Set([1]));
  });

  test('is slow, events are stored and processed nevertheless', async () => {
    let answer = () => {};
    billing.identity.slow = new Promise((resolve) => {
      answer = resolve;
    });
    billing.identity.mode = 'slow';
    const clinics = Array.from({ length: 20 }, () => randomUUID());
    const events = await Promise.all(clinics.map((clinicId) => billing.receive(orderBody('order_created', ++ids, NOW, { clinicId }))));
    expect(new Set(events).size).toBe(20);
    answer();
    expect(await billing.settled(events)).toEqual(Array(20).fill('applied'));
    await waitFor(() => clinics.every((clinicId) => appliedFor(clinicId).length > 0));
  });

  test('has no such clinic, the events wait for an operator, who can replay them', async () => {
    billing.identity.mode = 'unknown-clinic';
    const clinicId = randomUUID();
    const id = await billing.receive(orderBody('order_created', ++ids, NOW, { clinicId }));
    await waitFor(async () => (await billing.find(id))?.status === 'unknown_clinic');
    expect(await billing.find(id)).toMatchObject({ reason: 'there is no such clinic', clinicId });
    billing.identity.mode = 'available';
    expect(await billing.replay(id)).toMatchObject({ status: 'received' });
    await waitFor(async () => (await billing.find(id))?.status === 'applied' && appliedFor(clinicId).length === 1);
    const [entry] = await billing.query(`select actor_id, action, entity from audit_log where entity_id = $1`, [id]);
    expect(entry).toEqual({ actor_id: 'maria', action: 'payment_event.replayed', entity: 'payment_event' });
    const { actions, total } = await billing.states.listOperatorActions({ entityId: id }, asService('platform'));
    expect([total, actions]).toMatchObject([1, [{ operator: 'maria', action: 'payment_event.replayed', clinicId }]]);
  });
});

test('the orders of a clinic are published once identity has shown that the clinic exists', async () => {
  const clinicId = randomUUID();
  const [first, second, third] = [String(++ids), String(++ids), String(++ids)];
  const order = (id: string) => billing.receive(orderBody('order_created', id, NOW, { clinicId }));
  const publishedOrders = async () => (await publishedFor(clinicId)).flatMap(({ orderId = [] }) => orderId);
  billing.identity.mode = 'unknown-clinic';
  await order(first);
  await billing.jobsEnded(); // a job that still waits would say later that there is no such clinic
  billing.identity.mode = 'unavailable';
  const event = await order(second);
  await billing.processed([event]);
  expect(await publishedOrders()).toEqual([]);
  const listed = await listedOrders();
  expect([first, second].filter((id) => listed.includes(id))).toEqual([]);

  billing.identity.mode = 'available';
  await billing.processed([event]);
  await waitFor(async () => (await stateOf(clinicId)).applied_revision > 0);
  expect(new Set(await publishedOrders())).toEqual(new Set([first, second]));
  await billing.processed([await order(third)]);
  expect(await publishedOrders()).toContain(third);
  expect(await listedOrders()).toEqual(expect.arrayContaining([first, second, third]));
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
    const events = [await billing.receive(ended(clinicId)), await billing.receive(orderBody('order_created', ++ids, NOW, { clinicId }, 222))];
    expect(await billing.processed(events)).toEqual(['applied', 'applied']);
    return events;
  };

  test('counts', async () => {
    const clinicId = randomUUID();
    await receiveBoth(clinicId);
    expect(await stateOf(clinicId)).toMatchObject(bought);
    await waitFor(() => expect(appliedFor(clinicId).at(-1)).toMatchObject({ plan: 'pro', status: 'provisional' }));
  });

  test('counts after a replay of any stored event of the clinic, where an earlier release had ignored it', async () => {
    const clinicId = randomUUID();
    const [expired = ''] = await receiveBoth(clinicId);
    await billing.jobsEnded(); // a job that still waits would process its event again after the update
    await billing.query(
      `update clinic_subscriptions set plan = 'basic', status = 'ended', expires_at = $2, revision = revision + 1, applied_revision = revision + 1 where clinic_id = $1`,
      [clinicId, inDays(-0.1)],
    );
    const before = await stateOf(clinicId);
    await billing.replay(expired);
    await waitFor(async () =>
      expect(await stateOf(clinicId)).toMatchObject({ ...bought, revision: before.revision + 1, applied_revision: before.revision + 1 }),
    );
    expect(appliedFor(clinicId).at(-1)).toEqual({ plan: 'pro', status: 'provisional', revision: before.revision + 1, until: bought.expires_at });
  });
});

test('a pause keeps what was paid for, also after a replay where an earlier release had ended it', async () => {
  const clinicId = randomUUID();
  const subscription = ++ids;
  const renewal = { renews_at: instant(inDays(30)) };
  const events = [
    await billing.receive(subscriptionBody('subscription_created', subscription, NOW, 'active', renewal, { clinicId })),
    await billing.receive(subscriptionBody('subscription_paused', subscription, inDays(3), 'paused', { ...renewal, pause: { mode: 'void' } }, { clinicId })),
  ];
  expect(await billing.processed(events)).toEqual(['applied', 'applied']);
  const paused = { plan: 'basic', status: 'paused', expires_at: inDays(30) };
  expect(await stateOf(clinicId)).toMatchObject(paused);
  await billing.jobsEnded();
  await billing.query(`update clinic_subscriptions set status = 'ended', expires_at = $2, revision = 9, applied_revision = 9 where clinic_id = $1`, [
    clinicId,
    inDays(3),
  ]);
  await billing.replay(events[0] ?? '');
  await waitFor(async () => expect(await stateOf(clinicId)).toMatchObject({ ...paused, applied_revision: 10 }));
  expect(appliedFor(clinicId).at(-1)).toEqual({ plan: 'basic', status: 'paused', revision: 10, until: inDays(30) });
});

test('a subscription that is still paid for follows a later order before that expires, as an event of the past', async () => {
  const clinicId = randomUUID();
  const [order, subscription] = [++ids, ++ids];
  // In the future also by the clock of the database, so that the worker does not start the queued job.
  const at = (days: number) => new Date(Date.UTC(2090, 0, 10, 14) + days * DAY_MS);
  const links = { order_id: order, created_at: instant(at(0)) };
  const steps: [number, object][] = [
    [0, subscriptionBody('subscription_created', subscription, at(0), 'active', { ...links, renews_at: instant(at(31)) }, { clinicId })],
    [5, orderBody('order_created', ++ids, at(5), { clinicId }, 222)],
    [31, subscriptionBody('subscription_updated', subscription, at(31), 'active', { ...links, renews_at: instant(at(59)) }, { clinicId })],
  ];
  const events = [];
  for (const [days, body] of steps) {
    billing.clock.set(at(days));
    events.push(await billing.receive(body));
    await billing.processed(events.slice(-1));
  }
  await billing.jobsEnded(); // a job that still waits would process its event again at another time
  const expiry = new Date('2090-02-15T14:00:00Z');
  expect(await stateOf(clinicId)).toMatchObject({ plan: 'pro', status: 'provisional', expires_at: expiry });
  const [queued] = await billing.query(`select data, start_after from billing_jobs.job where data->>'eventId' = $1 and data->>'expiredAt' is not null`, [
    events[1],
  ]);
  expect(queued).toMatchObject({ data: { expiredAt: expiry.getTime() }, start_after: new Date(expiry.getTime() - 60_000) });
  await billing.work(queued.data);
  billing.clock.set(NOW);
  expect(await stateOf(clinicId)).toMatchObject({ plan: 'basic', status: 'active', expires_at: at(59), revision: 3, applied_revision: 3 });
  expect(billing.applied.findLast((request) => request.clinicId === clinicId)).toMatchObject({ plan: 'basic', sourceEventId: events[1] });
});

test('an event keeps its plan when it is replayed after its variant was removed from the settings', async () => {
  const clinicId = randomUUID();
  const events = [await billing.receive(orderBody('order_created', ++ids, NOW, { clinicId }, 222))];
  expect(await billing.processed(events)).toEqual(['applied']);
  expect(await billing.processed(events, {})).toEqual(['applied']);
  expect(await stateOf(clinicId)).toMatchObject({ plan: 'pro', revision: 1 });
});

test('the sweep processes an event whose job was lost', async () => {
  const clinicId = randomUUID();
  billing.identity.mode = 'unavailable';
  const id = await billing.receive(orderBody('order_created', ++ids, NOW, { clinicId }));
  await billing.settled([id]);
  await billing.query(`delete from billing_jobs.job`);
  await billing.query(`update payment_events set status = 'received' where id = $1`, [id]);
  billing.identity.mode = 'available';
  billing.clock.advance(120_000);
  await billing.sweep();
  expect(await billing.find(id)).toMatchObject({ status: 'applied' });
  expect(await stateOf(clinicId)).toMatchObject({ applied_revision: 1 });
  billing.clock.set(NOW);
});

describe('an event that cannot be used is stored and logged', () => {
  const clinicId = randomUUID();
  test.each([
    ['no JSON', 'nonsense', 'unusable'],
    ['an empty body', '', 'unusable'],
    ['no UTF-8', Uint8Array.of(0xff, 0xfe, 0, 1), 'unusable'],
    ['an array', '[1,2,3]', 'unusable'],
    ['null', 'null', 'unusable'],
    ['no name', '{"data":{"id":"1"}}', 'unusable'],
    ['values of wrong types', { meta: { event_name: 'order_created', custom_data: 7 }, data: [] }, 'unusable'],
    ['a deeply nested array', `${'['.repeat(200_000)}`, 'unusable'],
    ['an event name from the prototype', { meta: { event_name: 'constructor' }, data: { id: '1' } }, 'ignored'],
    ['an unused event', { meta: { event_name: 'license_key_created' }, data: { id: '1' } }, 'ignored'],
    ['an unpaid order', orderBody('order_created', 1, NOW, { clinicId, attributes: { status: 'pending' } }), 'ignored'],
    ['no clinic', orderBody('order_created', 900, NOW), 'unknown_clinic'],
    ['a clinic that is no UUID', orderBody('order_created', 901, NOW, { meta: { custom_data: { clinic_id: "' or 1=1" } } }), 'unknown_clinic'],
    ['an unknown variant', orderBody('order_created', 902, NOW, { clinicId }, 999), 'unknown_variant'],
    ['a variant name from the prototype', orderBody('order_created', 903, NOW, { clinicId }, 'constructor'), 'unknown_variant'],
    [
      'a subscription without a variant',
      subscriptionBody('subscription_updated', 905, NOW, 'active', { variant_id: undefined }, { clinicId: randomUUID() }),
      'unknown_variant',
    ],
    ['an invoice without a subscription', { meta: { event_name: 'subscription_payment_success' }, data: { id: '1', attributes: {} } }, 'unusable'],
    ['an unknown status', subscriptionBody('subscription_updated', 904, NOW, 'asleep', {}, { clinicId }), 'unusable'],
    ['a body of 1 MiB', `"${'x'.repeat(1_048_574)}"`, 'unusable'],
  ] as [string, object | string | Uint8Array, string][])('%s: %s', async (_name, body, status) => {
    const id = await billing.receive(body);
    expect(await billing.processed([id])).toEqual([status]);
    const reason = (await billing.find(id))?.reason;
    expect(reason).toEqual(expect.any(String));
    const lines = billing.logged.filter((line) => line.includes(id)).map((line) => JSON.parse(line));
    expect(lines).toMatchObject([{ level: status === 'ignored' ? 'info' : 'warn', reason }]);
    expect(appliedFor(clinicId)).toEqual([]);
  });

  test('the header names an event whose body does not', async () => {
    const { meta, ...body } = orderBody('order_created', ++ids, NOW, { webhookId: null });
    const id = await billing.receive({ ...body, meta: { custom_data: { clinic_id: randomUUID() } } }, 'order_created');
    expect([await billing.processed([id]), meta.event_name]).toEqual([['applied'], 'order_created']);
  });

  test('personal data is readable neither in the tables nor in the list', async () => {
    const id = await billing.receive(orderBody('order_created', ++ids, NOW, { clinicId: randomUUID() }));
    await billing.processed([id]);
    const [event] = await billing.query(
      'select e::text as text, f.fact::text as fact from payment_events e left join payment_facts f on f.event_id = e.id where e.id = $1',
      [id],
    );
    expect(event.text + event.fact).not.toMatch(/ana@example|Ana Rivas|616e61406578616d706c65/);
    expect(JSON.stringify(await billing.find(id), (_key, value) => (typeof value === 'bigint' ? String(value) : value))).not.toMatch(/ana@/);
    expect(JSON.stringify(await billing.query('select * from outbox'))).not.toMatch(/ana@/);
  });
});

test('the list is filtered and paged', async () => {
  const { events, total } = await billing.events.listPaymentEvents({ status: 'unknown_variant', limit: 1 }, asOperator());
  expect(events).toMatchObject([{ status: 'unknown_variant' }]);
  expect(total).toBe(3);
  expect((await billing.events.listPaymentEvents({ status: 'unknown_variant', limit: 1, page: 4 }, asOperator())).events).toEqual([]);
  await expect(billing.events.listPaymentEvents({ status: 'gone' }, asOperator())).rejects.toMatchObject({ reason: 'VALIDATION_ERROR' });
  await expect(billing.replay(randomUUID())).rejects.toMatchObject({ reason: 'NOT_FOUND' });
  await expect(billing.replay('x')).rejects.toMatchObject({ reason: 'NOT_FOUND' });
});

test('only the gateway receives events, and only operators list them', async () => {
  for (const caller of [asAnonymous(), asAdmin(randomUUID()), asOperator()])
    await expect(billing.events.receivePaymentEvent({ body: Buffer.from('{}') }, caller)).rejects.toMatchObject({
      reason: expect.stringMatching(/UNAUTHENTICATED|FORBIDDEN/),
    });
  for (const caller of [asAnonymous(), asAdmin(randomUUID()), asService('gateway')])
    await expect(billing.events.listPaymentEvents({}, caller)).rejects.toMatchObject({ reason: expect.stringMatching(/UNAUTHENTICATED|FORBIDDEN/) });
});

test('orders are listed page by page', async () => {
  const { orders } = await billing.states.listOrderStates({ limit: 2 }, asService('platform'));
  expect(orders).toHaveLength(2);
  const next = await billing.states.listOrderStates({ afterOrderId: orders[1]?.orderId ?? '', limit: 5_000 }, asService('platform'));
  expect([...orders, ...next.orders].map(({ orderId }) => orderId)).toEqual(await listedOrders());
});

test('test events are ignored in production', async () => {
  const production = await startBilling({ NODE_ENV: 'production' });
  try {
    const clinicId = randomUUID();
    const id = await production.receive(orderBody('order_created', 1, NOW, { clinicId, meta: { test_mode: true } }));
    expect(await production.settled([id])).toEqual(['ignored']);
    expect(production.applied).toEqual([]);
  } finally {
    await production.stop();
  }
});
