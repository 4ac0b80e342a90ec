// What a clinic has paid for: any order and repetition of the events of a history ends in the same state.
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { instant, invoiceBody, orderBody, subscriptionBody, VARIANTS } from '../testing/provider-events.ts';
import { type Access, accessOf, isFollowed, ordersOf } from './access-rules.ts';
import type { Fact } from './fact-rules.ts';
import { parseEvent } from './parse-event-rules.ts';
import { timeline } from './timeline-rules.ts';
import type { Variants } from './variants-rules.ts';

const DAY_MS = 86_400_000;
const T0 = Date.UTC(2026, 5, 1, 14);
const day = (n: number) => new Date(T0 + n * DAY_MS);
const MONTH = Date.UTC(2026, 6, 1, 14);
const GRACE = 7;

function factOf(body: object, receivedAt = T0 + 400 * DAY_MS): Fact {
  const parsed = parseEvent(Buffer.from(JSON.stringify(body)), { headerName: '', receivedAt, variants: VARIANTS as unknown as Variants, production: true });
  if (parsed.verdict !== 'fact') throw new Error(`${parsed.verdict}: ${parsed.reason}`);
  return parsed.fact;
}
/** The fact of an event that arrived one second after it happened. */
const prompt = (body: { data: { attributes: object } }) => factOf(body, Date.parse((body.data.attributes as { updated_at: string }).updated_at) + 1_000);
/** What the clinic has when the last of the facts has arrived. */
const access = (facts: Fact[]) => accessOf(facts, GRACE, Math.max(...facts.map(({ receivedAt }) => receivedAt)));
const fold = (...bodies: { data: { attributes: object } }[]) => access(bodies.map(prompt));
const created = (renews: number | Date, more: object = {}) =>
  subscriptionBody('subscription_created', '9', day(0), 'active', { order_id: 5, renews_at: instant(renews), ...more });
const updated = (at: Date, status: string, more: object) =>
  subscriptionBody('subscription_updated', 9, at, status, { order_id: 5, created_at: instant(T0), ...more });

describe('one event', () => {
  test('an order alone pays for one cycle from its date', () => {
    expect(fold(orderBody('order_created', 5, day(0)))).toEqual({ plan: 'basic', status: 'provisional', expiresAt: MONTH });
    expect(fold(orderBody('order_created', 5, day(0), {}, '333'))).toEqual({ plan: 'pro', status: 'provisional', expiresAt: Date.UTC(2027, 5, 1, 14) });
  });
  test('an order that arrives again with another variant still counts for what it named first', () => {
    const [first, repeated] = [orderBody('order_created', 5, day(0)), orderBody('order_created', 5, day(1), {}, '333')];
    for (const bodies of [
      [first, repeated],
      [repeated, first],
    ])
      expect(fold(...bodies)).toMatchObject({ plan: 'basic', status: 'provisional' });
  });
  test.each([
    [222, 111],
    [111, 222],
  ])('of variants %i and then %i of one order at one instant, the one that arrived first counts', (first, second) => {
    const arrived = (variant: number, days: number) => factOf(orderBody('order_created', 5, day(0), {}, variant), day(days).getTime());
    for (const facts of [
      [arrived(first, 0), arrived(second, 1)],
      [arrived(second, 1), arrived(first, 0)],
    ])
      expect(access(facts)).toMatchObject({ plan: first === 222 ? 'pro' : 'basic' });
  });
  test('an order that arrives again with another total still has the first one', () => {
    const again = orderBody('order_created', 5, day(1), { attributes: { total: 5, total_usd: 5 } });
    const refund = orderBody('order_refunded', 5, day(2), { attributes: { total: null, total_usd: null } });
    const order = (...bodies: object[]) => ordersOf(timeline(bodies.map((body) => factOf(body)))).get('5');
    expect(order(orderBody('order_created', 5, day(0)), again)).toMatchObject({ totalCents: 2900, refundedCents: 0 });
    expect(order(orderBody('order_created', 5, day(0)), again, refund)).toMatchObject({ status: 'refunded', totalCents: 2900, refundedCents: 2900 });
  });
  test('an order with an old date counts from its arrival', () => {
    const fact = factOf(orderBody('order_created', 5, day(-900)), T0);
    expect(access([fact])?.expiresAt).toBe(MONTH);
  });
  test('a full refund ends the plan at once, a partial one does not', () => {
    for (const status of ['refunded', 'paid', 'fraudulent']) {
      const refunded = orderBody('order_refunded', 5, day(3), { attributes: { status } });
      expect(fold(orderBody('order_created', 5, day(0)), refunded)).toEqual({ plan: 'basic', status: 'ended', expiresAt: day(3).getTime() });
    }
    const partial = orderBody('order_refunded', 5, day(3), { attributes: { status: 'partial_refund', refunded_amount: 100 } });
    expect(fold(orderBody('order_created', 5, day(0)), partial)).toMatchObject({ status: 'provisional', expiresAt: MONTH });
  });
  test.each([
    ['active', { renews_at: instant(day(40)) }, 'active', day(40)],
    ['on_trial', { renews_at: instant(day(40)), trial_ends_at: instant(day(44)) }, 'active', day(44)],
    ['past_due', { renews_at: instant(day(2)) }, 'past_due', day(30 + GRACE)],
    ['cancelled', { ends_at: instant(day(33)) }, 'cancelled', day(33)],
    ['unpaid', {}, 'ended', day(30)],
    ['expired', { ends_at: instant(day(29)) }, 'ended', day(29)],
    ['paused', { pause: { mode: 'void', resumes_at: null } }, 'paused', day(30)],
    ['paused', { pause: { mode: 'void', resumes_at: null }, renews_at: instant(day(60)) }, 'paused', day(60)],
    ['paused', { pause: { mode: 'void', resumes_at: null }, ends_at: instant(day(45)) }, 'paused', day(45)],
    ['paused', { pause: { mode: 'free', resumes_at: instant(day(60)) } }, 'paused', day(60)],
  ])('%s %j', (status, attributes, meant, until) => {
    expect(fold(created(day(30)), updated(day(30), status, attributes))).toEqual({ plan: 'basic', status: meant, expiresAt: until.getTime() });
  });
  test('invoices alone do not say what was bought', () => {
    expect(fold(invoiceBody('subscription_payment_success', 1, 9, day(0)))).toBeUndefined();
  });
});

describe('captured events', () => {
  test('an update with the same date and a renewal of that moment does not shorten the plan', () => {
    const facts = [created(day(365)), updated(day(0), 'active', { renews_at: instant(T0 + 3_000) })];
    expect(fold(...facts)).toMatchObject({ expiresAt: day(365).getTime() });
    expect(fold(...facts.toReversed())).toMatchObject({ expiresAt: day(365).getTime() });
  });
  test('a renewal that is past when it arrives does not shorten the plan', () => {
    const late = factOf(updated(new Date(T0 + 5_000), 'active', { renews_at: instant(T0 + 6_000) }), T0 + 60_000);
    expect(access([prompt(created(day(30))), late])?.expiresAt).toBe(day(30).getTime());
  });
  test('payments have the id of the invoice, and ids are numbers or text', () => {
    expect(fold(created(day(30)), invoiceBody('subscription_payment_success', '9', '9', day(30)))).toMatchObject({
      expiresAt: Date.UTC(2026, 7, 1, 14),
    });
  });
});

describe('histories', () => {
  test('a failed payment starts the days of grace, a recovered one ends them', () => {
    const failed = invoiceBody('subscription_payment_failed', 70, 9, day(30));
    expect(fold(created(day(30)), failed)).toEqual({ plan: 'basic', status: 'past_due', expiresAt: day(37).getTime() });
    const recovered = invoiceBody('subscription_payment_recovered', 70, 9, day(33));
    expect(fold(created(day(30)), failed, recovered)).toMatchObject({ status: 'active', expiresAt: Date.UTC(2026, 7, 4, 14) });
  });
  test('a payment event may carry the subscription instead of the invoice', () => {
    const payment = (event: string, at: Date, more: object) => subscriptionBody(event, 9, at, 'active', { order_id: 5, ...more });
    const failed = payment('subscription_payment_failed', day(30), { status: 'past_due', renews_at: instant(day(32)) });
    expect(fold(created(day(30)), failed)).toEqual({ plan: 'basic', status: 'past_due', expiresAt: day(37).getTime() });
    const recovered = payment('subscription_payment_recovered', day(33), { renews_at: instant(day(61)) });
    expect(fold(created(day(30)), failed, recovered)).toMatchObject({ status: 'active', expiresAt: day(61).getTime() });
    const paid = payment('subscription_payment_success', day(0), { renews_at: instant(day(31)) });
    expect(fold(paid)).toMatchObject({ status: 'active', expiresAt: day(31).getTime() });
  });
  test('a period that is paid for beyond the days of grace stays', () => {
    expect(fold(created(day(30)), invoiceBody('subscription_payment_failed', 70, 9, day(3)))).toMatchObject({
      status: 'past_due',
      expiresAt: day(30).getTime(),
    });
  });
  test('a pause leaves what is paid for, however its reports and those before it arrive', () => {
    const pause = { pause: { mode: 'void', resumes_at: null } };
    const paused = updated(day(10), 'paused', { ...pause, renews_at: instant(day(30)) });
    const until = (end: Date) => ({ plan: 'basic', status: 'paused', expiresAt: end.getTime() });
    expect(fold(created(day(30)), paused)).toEqual(until(day(30)));
    expect(fold(paused)).toEqual(until(day(30)));
    expect(fold(updated(day(10), 'paused', pause))).toEqual(until(new Date(MONTH)));
    // During the pause renews_at moves on, but nothing is paid.
    const later = updated(day(31), 'paused', { ...pause, renews_at: instant(day(60)) });
    expect(fold(created(day(30)), paused, later)).toEqual(until(day(30)));
    expect(fold(later, paused, created(day(30)))).toEqual(until(day(30)));
    // While a payment is retried, renews_at is the next attempt.
    const failed = invoiceBody('subscription_payment_failed', 70, 9, day(30));
    expect(fold(created(day(30)), failed, updated(day(31), 'paused', { ...pause, renews_at: instant(day(33)) }))).toEqual(until(day(30)));
    const resumed = updated(day(40), 'active', { renews_at: instant(day(70)) });
    expect(fold(created(day(30)), paused, resumed)).toEqual({ plan: 'basic', status: 'active', expiresAt: day(70).getTime() });
  });
  test('a subscription that is paused does not displace an older one that runs', () => {
    const newer = (at: Date, status: string, more: object) => subscriptionBody('subscription_updated', 10, at, status, { order_id: 6, ...more }, {}, 222);
    const paused = newer(day(12), 'paused', { created_at: instant(day(10)), renews_at: instant(day(40)), pause: { mode: 'void' } });
    expect(fold(created(day(300)), newer(day(10), 'active', { renews_at: instant(day(40)) }), paused)).toMatchObject({ plan: 'basic', status: 'active' });
  });
  test('a refund of the newest payment ends the plan, of an older one does not', () => {
    const paid = (id: number, at: Date) => invoiceBody('subscription_payment_success', id, 9, at);
    const back = (id: number, at: Date, billed: Date) =>
      invoiceBody('subscription_payment_refunded', id, 9, at, { attributes: { status: 'refunded', created_at: instant(billed) } });
    expect(fold(created(day(30)), paid(70, day(0)), back(70, day(2), day(0)))).toEqual({ plan: 'basic', status: 'ended', expiresAt: day(2).getTime() });
    const renewed = updated(day(30), 'active', { renews_at: instant(day(60)) });
    expect(fold(created(day(30)), paid(70, day(0)), renewed, paid(71, day(30)), back(70, day(40), day(0)))).toMatchObject({
      status: 'active',
      expiresAt: day(60).getTime(),
    });
  });
  test('a changed plan counts, and the newer of two running subscriptions', () => {
    const changed = subscriptionBody('subscription_plan_changed', 9, day(5), 'active', { order_id: 5, renews_at: instant(day(30)) }, {}, 222);
    expect(fold(created(day(30)), changed)).toMatchObject({ plan: 'pro', expiresAt: day(30).getTime() });
    const newer = subscriptionBody('subscription_created', 10, day(10), 'active', { order_id: 6, renews_at: instant(day(40)) }, {}, 222);
    expect(fold(newer, created(day(300)))).toMatchObject({ plan: 'pro', expiresAt: day(40).getTime() });
    const ended = subscriptionBody('subscription_expired', 10, day(20), 'expired', { order_id: 6 }, {}, 222);
    expect(fold(newer, ended, created(day(300)))).toMatchObject({ plan: 'basic', expiresAt: day(300).getTime() });
  });
  test('an event that does not say what was bought takes it from others', () => {
    const mute = (event: string, status: string, at: Date, attributes: object) =>
      subscriptionBody(event, 9, at, status, { order_id: 5, variant_id: undefined, ...attributes });
    expect(fold(orderBody('order_created', 5, day(0), {}, 222), mute('subscription_updated', 'active', day(1), { renews_at: instant(day(50)) }))).toEqual({
      plan: 'pro',
      status: 'active',
      expiresAt: day(50).getTime(),
    });
    expect(fold(created(day(30)), mute('subscription_cancelled', 'cancelled', day(2), { ends_at: instant(day(20)) }))).toEqual({
      plan: 'basic',
      status: 'cancelled',
      expiresAt: day(20).getTime(),
    });
    expect(fold(mute('subscription_cancelled', 'cancelled', day(2), {}))).toBeUndefined();
  });
  test('an order belongs to the subscription that it created, also when neither names the other', () => {
    const loose = subscriptionBody('subscription_expired', 9, day(0), 'expired', {});
    expect(fold(orderBody('order_created', 5, day(0)), loose)).toMatchObject({ status: 'ended' });
  });
  const hours = (n: number) => new Date(T0 + n * 3_600_000);
  const loose = (event: string, status: string, at: Date, attributes: object = {}) =>
    subscriptionBody(event, 9, at, status, { created_at: instant(T0), ...attributes });
  test.each([
    ['expired and names an order that is not known', [updated(hours(1), 'expired', { created_at: instant(day(-400)), ends_at: instant(hours(1)) })]],
    ['expired and names no order', [loose('subscription_created', 'active', day(0)), loose('subscription_expired', 'expired', hours(1))]],
    ['expired long after it was created', [loose('subscription_expired', 'expired', hours(30), { created_at: instant(day(-30)), ends_at: instant(hours(1)) })]],
    ['was reported as expired after the order came, but ended before', [loose('subscription_expired', 'expired', hours(4), { ends_at: instant(hours(1)) })]],
    ['is unpaid', [loose('subscription_updated', 'unpaid', hours(1))]],
    ['is past due', [loose('subscription_updated', 'past_due', hours(1))]],
    ['was cancelled', [loose('subscription_cancelled', 'cancelled', hours(1), { ends_at: instant(hours(2)) })]],
    ['was cancelled and still runs', [loose('subscription_cancelled', 'cancelled', hours(1), { ends_at: instant(day(20)) })]],
    [
      'was paid back',
      [loose('subscription_created', 'active', day(0), { renews_at: instant(day(30)) }), invoiceBody('subscription_payment_refunded', 70, 9, hours(1))],
    ],
  ])('an order counts after a subscription that %s', (_what, before) => {
    const again = orderBody('order_created', 6, hours(3), {}, 222);
    const bought = { plan: 'pro', status: 'provisional', expiresAt: Date.UTC(2026, 6, 1, 17) };
    expect(fold(...before, again)).toEqual(bought);
    expect(fold(again, ...before)).toEqual(bought);
  });
  test('a subscription is assigned the order nearest to its start, and another order counts by itself', () => {
    const earlier = orderBody('order_created', 4, hours(-20), {}, 222);
    const own = orderBody('order_created', 5, day(0));
    const ended = loose('subscription_expired', 'expired', hours(1));
    expect(fold(own, ended)).toMatchObject({ status: 'ended' });
    expect(fold(earlier, own, ended)).toMatchObject({ plan: 'pro', status: 'provisional' });
  });
  test('a second order of the same plan never shortens the first', () => {
    expect(fold(orderBody('order_created', 5, day(0), {}, 333), orderBody('order_created', 6, day(1), {}, 222))).toMatchObject({
      plan: 'pro',
      expiresAt: Date.UTC(2027, 5, 1, 14),
    });
  });
});

/** A history of one clinic: orders, subscriptions and invoices, many of them at the same instants. Reports of an order at one instant name one variant. */
const anyBody = fc
  .record({
    kind: fc.constantFrom('order', 'order', 'subscription', 'subscription', 'subscription', 'invoice'),
    id: fc.integer({ min: 1, max: 3 }),
    at: fc.integer({ min: 0, max: 12 }).map((n) => day(n * 10)),
    until: fc.integer({ min: -2, max: 40 }),
    status: fc.constantFrom('on_trial', 'active', 'past_due', 'paused', 'cancelled', 'unpaid', 'expired'),
    event: fc.constantFrom('subscription_payment_success', 'subscription_payment_failed', 'subscription_payment_recovered', 'subscription_payment_refunded'),
    refund: fc.boolean(),
    named: fc.boolean(),
    dated: fc.boolean(),
    variant: fc.constantFrom(111, 222, 333),
    free: fc.boolean(),
  })
  .map(({ kind, id, at, until, status, event, refund, named, dated, variant, free }) => {
    const then = instant(at.getTime() + until * DAY_MS);
    if (kind === 'order') return orderBody(refund ? 'order_refunded' : 'order_created', id, at, {}, [111, 222, 333][(id + at.getUTCDate()) % 3]);
    if (kind === 'invoice') return invoiceBody(event, 10 * id + until, id, at);
    const dates = { renews_at: then, ends_at: status === 'cancelled' ? then : null, pause: status === 'paused' ? { mode: free ? 'free' : 'void' } : null };
    return subscriptionBody(
      'subscription_updated',
      id,
      at,
      status,
      { ...(named && { order_id: id }), ...dates, created_at: dated ? instant(day(id)) : undefined },
      {},
      variant,
    );
  });

const instants = fc.integer({ min: 0, max: 500 }).map((n) => day(n).getTime());

test('histories, shuffled and repeated, end in the same state', () => {
  fc.assert(
    fc.property(
      fc.array(anyBody, { minLength: 1, maxLength: 14 }).chain((bodies) =>
        fc.record({
          at: instants,
          facts: fc.constant(bodies.map(prompt)),
          shuffled: fc.shuffledSubarray([...bodies, ...bodies, ...bodies.slice(0, 3)], { minLength: bodies.length * 2 + Math.min(3, bodies.length) }),
        }),
      ),
      ({ at, facts, shuffled }) => {
        // One of the copies arrives first, at any position.
        const copies = new Map<object, number>();
        const again = shuffled.map((body) => {
          const before = copies.get(body) ?? 0;
          copies.set(body, before + 1);
          const fact = prompt(body);
          return { ...fact, receivedAt: fact.receivedAt + before * DAY_MS };
        });
        expect(accessOf(again, GRACE, at)).toEqual(accessOf(facts, GRACE, at));
      },
    ),
    { numRuns: 1_000 },
  );
});

/**
 * How late events may arrive. A report of a renewal that is due between its date and its arrival is left out: it intentionally shortens nothing
 * when it arrives late, whereas every other report has the same meaning late or not.
 */
const LATEST_DAYS = 6;
const untilOf = (body: { data: { attributes: object } }) => {
  const { renews_at, updated_at } = body.data.attributes as { renews_at?: string; updated_at: string };
  return renews_at === undefined ? 0 : Date.parse(renews_at) - Date.parse(updated_at);
};
const lateBody = anyBody.filter((body) => untilOf(body) <= 0 || untilOf(body) > LATEST_DAYS * DAY_MS);

test('late, repeated and reordered events end in the same state', () => {
  const delivery = fc.record({ body: lateBody, lateMs: fc.array(fc.integer({ min: 0, max: LATEST_DAYS * DAY_MS }), { minLength: 1, maxLength: 3 }) });
  fc.assert(
    fc.property(
      fc.array(delivery, { minLength: 1, maxLength: 14 }).chain((deliveries) => {
        const facts = deliveries.flatMap(({ body, lateMs }) => lateMs.map((late) => ({ ...prompt(body), receivedAt: prompt(body).at + late })));
        return fc.record({ at: instants, deliveries: fc.constant(deliveries), facts: fc.shuffledSubarray(facts, { minLength: facts.length }) });
      }),
      ({ at, deliveries, facts }) => {
        expect(accessOf(facts, GRACE, at)).toEqual(
          accessOf(
            deliveries.map(({ body }) => prompt(body)),
            GRACE,
            at,
          ),
        );
      },
    ),
    { numRuns: 1_000 },
  );
});

test('an order after the end of all subscriptions always counts', () => {
  const end = fc.record({
    id: fc.integer({ min: 1, max: 3 }),
    hour: fc.integer({ min: 0, max: 24 }),
    status: fc.constantFrom('expired', 'unpaid'),
    named: fc.boolean(),
  });
  const order = fc.integer({ min: 25, max: 72 });
  fc.assert(
    fc.property(fc.array(anyBody, { maxLength: 10 }), fc.array(end, { maxLength: 3 }), order, fc.boolean(), (bodies, ends, hour, first) => {
      const at = (n: number) => new Date(day(130).getTime() + n * 3_600_000);
      const reported = bodies.flatMap(({ data }) => (data.type === 'subscriptions' ? [Number(data.id)] : []));
      const last = ends.map(({ id, hour, status, named }) =>
        subscriptionBody('subscription_updated', id, at(hour), status, { ...(named && { order_id: 40 + id }), created_at: instant(at(hour - 2)) }),
      );
      const rest = reported.map((id) => subscriptionBody('subscription_expired', id, at(24), 'expired', {}));
      const again = orderBody('order_created', 99, at(hour), {}, 333);
      const history = [...bodies, ...last, ...rest];
      const paidUntil = new Date(at(hour)).setUTCFullYear(2027);
      expect(fold(...(first ? [again, ...history] : [...history, again]))).toEqual({ plan: 'pro', status: 'provisional', expiresAt: paidUntil });
    }),
    { numRuns: 1_000 },
  );
});

test('every clinic with a paid order has a plan', () => {
  fc.assert(
    fc.property(fc.array(anyBody, { maxLength: 10 }), instants, (bodies, at) => {
      const found = accessOf([prompt(orderBody('order_created', 3, day(0))), ...bodies.map(prompt)], GRACE, at);
      expect(found).toMatchObject({ plan: expect.stringMatching(/^(basic|pro)$/), expiresAt: expect.any(Number) });
      expect(Number.isFinite(found?.expiresAt)).toBe(true);
    }),
  );
});

describe('a purchase that has expired', () => {
  const YEAR = Date.UTC(2027, 5, 1, 14);
  const running = updated(day(30), 'active', { renews_at: instant(day(60)) });
  const order = orderBody('order_created', 6, day(10), {}, 222); // until day 40
  test.each([
    ['a subscription that is renewed', [created(day(30)), order, running], { plan: 'basic', status: 'active', expiresAt: day(60).getTime() }],
    [
      'a subscription that was cancelled and still runs',
      [created(day(30)), order, updated(day(30), 'cancelled', { ends_at: instant(day(60)) })],
      { plan: 'basic', status: 'cancelled', expiresAt: day(60).getTime() },
    ],
    [
      'an earlier order for longer',
      [orderBody('order_created', 5, day(0), {}, 333), orderBody('order_created', 6, day(10))],
      { plan: 'pro', status: 'provisional', expiresAt: YEAR },
    ],
    [
      'an earlier order for longer, also when the later one has a subscription whose renewal is late',
      [orderBody('order_created', 4, day(-2), {}, 333), created(day(40))],
      { plan: 'pro', status: 'provisional', expiresAt: day(-2).setUTCFullYear(2027) },
    ],
  ])('does not hide %s', (_what, bodies, next) => {
    for (const facts of [bodies.map(prompt), bodies.toReversed().map(prompt)]) {
      const first = accessOf(facts, GRACE, day(31).getTime());
      if (!first) throw new Error('the clinic has nothing');
      expect(first.expiresAt).toBeLessThan(day(42).getTime());
      expect(accessOf(facts, GRACE, first.expiresAt - 1)).toEqual(first);
      expect(accessOf(facts, GRACE, first.expiresAt)).toEqual(next);
      expect(isFollowed(facts, GRACE, first, first.expiresAt - 1)).toBe(true);
      // After the last one has expired, nothing follows.
      expect([accessOf(facts, GRACE, next.expiresAt), isFollowed(facts, GRACE, next as Access, next.expiresAt)]).toEqual([next, false]);
    }
  });
  test('of a plan that lasts longer by an earlier purchase changes nothing', () => {
    const year = orderBody('order_created', 4, day(-2), {}, 333);
    const facts = [year, created(day(30)), order, updated(day(31), 'active', { renews_at: instant(day(60)) })].map(prompt);
    const pro = { plan: 'pro', status: 'provisional', expiresAt: day(-2).setUTCFullYear(2027) };
    for (const at of [day(11), day(41), day(61)]) expect(accessOf(facts, GRACE, at.getTime())).toEqual(pro);
  });
});

describe('reports that name neither an order nor the creation of their subscription', () => {
  const order = orderBody('order_created', 5, day(0), {}, 222);
  const report = (event: string, more: object = {}) =>
    subscriptionBody(event, 9, day(20), event.slice('subscription_'.length), { created_at: undefined, updated_at: undefined, ...more }, {}, 222);
  const arrived = (body: object) => factOf(body, day(20).getTime());
  test.each([
    ['subscription_expired', {}, { status: 'ended', expiresAt: day(20).getTime() }],
    ['subscription_updated', { status: 'unpaid' }, { status: 'ended', expiresAt: day(20).getTime() }],
    ['subscription_cancelled', {}, { status: 'cancelled', expiresAt: MONTH }],
    ['subscription_cancelled', { ends_at: instant(day(25)) }, { status: 'cancelled', expiresAt: day(25).getTime() }],
    ['subscription_paused', {}, { status: 'paused', expiresAt: MONTH }],
    ['subscription_updated', { status: 'past_due' }, { status: 'past_due', expiresAt: MONTH }],
    ['subscription_updated', { status: 'active', renews_at: instant(day(45)) }, { status: 'active', expiresAt: day(45).getTime() }],
  ])('%s %j is about the order before it', (event, more, expected) => {
    const facts = [prompt(order), arrived(report(event, more))];
    for (const history of [facts, facts.toReversed()]) expect(access(history)).toEqual({ plan: 'pro', ...expected });
    // An order after it is a new purchase.
    for (const at of [new Date(day(20).getTime() + 5 * 3_600_000), day(22)])
      expect(access([...facts, prompt(orderBody('order_created', 6, at))])).toMatchObject({ plan: 'basic', status: 'provisional' });
  });
});
