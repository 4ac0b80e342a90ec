// Subscriptions that clinics have paid for, and the warnings before one ends.
import { randomUUID } from 'node:crypto';
import { create } from '@bufbuild/protobuf';
import { timestampDate, timestampFromDate } from '@bufbuild/protobuf/wkt';
import { asAdmin, asAnonymous, asOperator, asService } from '@clinic/lib/testing/callers.ts';
import { deliver } from '@clinic/lib/testing/deliver.ts';
import { SubscriptionChangedSchema } from '@clinic/proto/events/v1/billing_pb.js';
import { SubscriptionService } from '@clinic/proto/identity/v1/subscription_pb.js';
import { MailService } from '@clinic/proto/messaging/v1/mail_pb.js';
import { createClient } from '@connectrpc/connect';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { v7 } from 'uuid';
import { type Identity, NOW, outcomes, PASSWORD, startIdentity } from '../testing/identity.ts';
import { mailExpiry } from './mail-expiry.ts';
import { onSubscriptionChanged } from './on-subscription-changed.ts';
import { warnOfExpiry } from './warn-of-expiry.ts';

let i: Identity;
beforeAll(async () => {
  i = await startIdentity();
});
afterAll(() => i.stop());
beforeEach(() => i.clock.set(NOW));

const DAY_MS = 86_400_000;
const inDays = (days: number) => new Date(NOW.getTime() + days * DAY_MS);

/** A clinic on `plan` for the 30 days of its invite code. */
async function registered(plan = 'trial') {
  i.codes.plan = plan;
  return (await i.register()).clinic?.id ?? '';
}
const paid = (clinicId: string, revision: number, plan: string, days: number, status = 'active') => ({
  clinicId,
  revision,
  plan,
  status,
  expiresAt: timestampFromDate(inDays(days)),
  sourceEventId: v7(),
});
const apply = (...given: Parameters<typeof paid>) => i.service.client(SubscriptionService).applySubscription(paid(...given), asService('billing'));
const shown = async (clinicId: string) => {
  const [clinic] = await i.look('select subscription_plan as plan, subscription_expires_at as until, revision from clinics where clinic_id = $1', [clinicId]);
  return clinic;
};
const setExpiry = (clinicId: string, expiresInDays: number) => i.clinics.updateClinic({ clinicId, expiresInDays }, asOperator());

test('a payment changes plan and expiry and publishes one event; repeated and older ones change nothing', async () => {
  const clinicId = await registered();
  const answer = await apply(clinicId, 1, 'pro', 40);
  expect([answer.plan, answer.expiresAt && timestampDate(answer.expiresAt)]).toEqual(['pro', inDays(40)]);
  await apply(clinicId, 1, 'pro', 40);
  await apply(clinicId, 3, 'clinica', 60);
  await apply(clinicId, 2, 'basic', 50);
  expect(await shown(clinicId)).toEqual({ plan: 'clinica', until: inDays(60), revision: 3 });
  const events = await i.look(`select payload from outbox where clinic_id = $1 and subject like '%clinic-updated' order by id`, [clinicId]);
  expect(events.map(({ payload }) => [payload.plan, payload.revision])).toEqual([
    ['pro', 2],
    ['clinica', 3],
  ]);
  const lines = await i.look(`select actor_kind, actor_id from audit_log where clinic_id = $1 and action = 'clinic.updated'`, [clinicId]);
  expect(lines).toEqual(Array(2).fill({ actor_kind: 'service', actor_id: 'billing' }));
});

describe('the event of a paid subscription', () => {
  const receive = async (...given: Parameters<typeof paid>) => {
    const { clinicId, ...event } = paid(...given);
    await deliver(i.service.db, onSubscriptionChanged({ clock: i.clock }), clinicId, create(SubscriptionChangedSchema, event));
  };
  const changes = async (clinicId: string) => (await i.clinicUpdates(clinicId)).map(({ plan }) => plan);

  test('applies it if the call of billing is lost, once', async () => {
    const clinicId = await registered();
    await receive(clinicId, 1, 'pro', 40);
    await receive(clinicId, 1, 'pro', 40);
    expect(await shown(clinicId)).toEqual({ plan: 'pro', until: inDays(40), revision: 2 });
    expect(await i.look(`select actor_kind, actor_id from audit_log where clinic_id = $1 and action = 'clinic.updated'`, [clinicId])).toEqual([
      { actor_kind: 'service', actor_id: 'billing' },
    ]);
  });

  test('ends in the same state in every order of calls and events', async () => {
    const steps = [
      (id: string) => apply(id, 1, 'basic', 20),
      (id: string) => receive(id, 1, 'basic', 20),
      (id: string) => apply(id, 2, 'pro', 40),
      (id: string) => receive(id, 2, 'pro', 40),
    ];
    for (const order of [
      [0, 1, 2, 3],
      [0, 2, 1, 3],
      [3, 2, 1, 0],
      [2, 1, 0],
    ]) {
      const clinicId = await registered();
      for (const step of order) await steps[step]?.(clinicId);
      expect(await shown(clinicId)).toMatchObject({ plan: 'pro', until: inDays(40) });
      expect((await changes(clinicId)).filter((plan) => plan === 'pro')).toHaveLength(1);
    }
  });

  test('does not override a later change by an operator, nor forever_free', async () => {
    const clinicId = await registered('basic');
    await apply(clinicId, 1, 'pro', 40);
    await i.clinics.updateClinic({ clinicId, plan: 'clinica', expiresInDays: 7 }, asOperator());
    await receive(clinicId, 1, 'pro', 40);
    expect(await shown(clinicId)).toMatchObject({ plan: 'clinica', until: inDays(7) });
    const free = await registered('forever_free');
    await receive(free, 1, 'pro', 40);
    expect(await shown(free)).toMatchObject({ plan: 'forever_free' });
  });

  test('of an unknown clinic changes nothing', async () => {
    await expect(receive(randomUUID(), 1, 'pro', 40)).resolves.toBeUndefined();
  });

  test('and a concurrent call change the clinic once', async () => {
    const clinicId = await registered();
    await i.race('clinics', clinicId, () =>
      [apply(clinicId, 1, 'pro', 40), receive(clinicId, 1, 'pro', 40), receive(clinicId, 1, 'pro', 40)].map((one) => one as Promise<unknown>),
    );
    expect(await changes(clinicId)).toEqual(['pro']);
  });
});

test('concurrent repeated calls change the clinic once', async () => {
  const clinicId = await registered();
  await i.race('clinics', clinicId, () => Array.from({ length: 4 }, () => apply(clinicId, 1, 'pro', 40)));
  expect(await shown(clinicId)).toEqual({ plan: 'pro', until: inDays(40), revision: 2 });
});

test('forever_free never changes', async () => {
  const clinicId = await registered('forever_free');
  for (const [revision, status] of ['provisional', 'active', 'cancelled', 'ended'].entries()) {
    expect((await apply(clinicId, revision + 1, 'basic', -1, status)).plan).toBe('forever_free');
  }
  expect(await shown(clinicId)).toEqual({ plan: 'forever_free', until: null, revision: 1 });
});

describe('a clinic with a granted subscription', () => {
  test('an order does not shorten a later expiry of its plan; the subscription that follows applies as it is', async () => {
    const clinicId = await registered('basic');
    await setExpiry(clinicId, 90);
    await apply(clinicId, 1, 'basic', 30, 'provisional');
    expect(await shown(clinicId)).toMatchObject({ plan: 'basic', until: inDays(90) });
    await apply(clinicId, 2, 'basic', 31, 'active');
    expect(await shown(clinicId)).toMatchObject({ until: inDays(31) });
  });
  test('an order for another plan, or for longer, applies', async () => {
    const clinicId = await registered('basic');
    await setExpiry(clinicId, 20);
    await apply(clinicId, 1, 'basic', 30, 'provisional');
    expect(await shown(clinicId)).toMatchObject({ plan: 'basic', until: inDays(30) });
    await apply(clinicId, 2, 'pro', 10, 'provisional');
    expect(await shown(clinicId)).toMatchObject({ plan: 'pro', until: inDays(10) });
  });
  test.each(['active', 'past_due', 'paused', 'provisional'])('a running payment (%s) with an expiry in the past does not end it', async (status) => {
    const clinicId = await registered('trial');
    await setExpiry(clinicId, 5);
    await apply(clinicId, 1, 'basic', -2, status);
    expect(await shown(clinicId)).toMatchObject({ plan: 'trial', until: inDays(5) });
  });
  test.each(['cancelled', 'ended'])('a %s payment applies as it is', async (status) => {
    const clinicId = await registered('basic');
    await setExpiry(clinicId, 90);
    await apply(clinicId, 1, 'basic', -1, status);
    expect(await shown(clinicId)).toMatchObject({ until: inDays(-1) });
  });
  test('the order of payments does not matter, and a change by an operator remains until the next payment', async () => {
    const ends = [];
    for (const revisions of [
      [1, 2, 3],
      [1, 3, 2],
      [3, 1, 2],
    ]) {
      const clinicId = await registered('basic');
      await setExpiry(clinicId, 50);
      for (const revision of revisions) {
        const [plan, days, status] =
          (
            [
              ['basic', 60, 'provisional'],
              ['basic', 30, 'active'],
              ['basic', 45, 'provisional'],
            ] as const
          )[revision - 1] ?? [];
        await apply(clinicId, revision, plan ?? '', days ?? 0, status);
      }
      ends.push((await shown(clinicId)).until);
      await i.clinics.updateClinic({ clinicId, plan: 'clinica', expiresInDays: 7 }, asOperator());
      await apply(clinicId, 3, 'basic', 45, 'provisional');
      expect(await shown(clinicId)).toMatchObject({ plan: 'clinica', until: inDays(7) });
      await apply(clinicId, 4, 'clinica', 6, 'provisional');
      expect(await shown(clinicId)).toMatchObject({ plan: 'clinica', until: inDays(7) });
    }
    expect(ends).toEqual(Array(3).fill(inDays(50)));
  });
});

test('a replayed event repairs a subscription, and does not shorten what an operator granted meanwhile', async () => {
  const clinicId = await registered('basic');
  const subscriptions = i.service.client(SubscriptionService);
  const ended = paid(clinicId, 1, 'basic', -1, 'ended');
  const replayed = (revision: number, days: number) => ({ ...paid(clinicId, revision, 'basic', days, 'cancelled'), sourceEventId: ended.sourceEventId });
  await subscriptions.applySubscription(ended, asService('billing'));
  await subscriptions.applySubscription(replayed(2, 12), asService('billing'));
  expect(await shown(clinicId)).toMatchObject({ plan: 'basic', until: inDays(12) });
  await i.clinics.updateClinic({ clinicId, plan: 'pro', expiresInDays: 30 }, asOperator());
  await subscriptions.applySubscription(replayed(3, 20), asService('billing'));
  expect(await shown(clinicId)).toMatchObject({ plan: 'pro', until: inDays(30) });
  await subscriptions.applySubscription(replayed(4, 60), asService('billing'));
  expect(await shown(clinicId)).toMatchObject({ plan: 'basic', until: inDays(60) });
  const renewed = paid(clinicId, 5, 'basic', 70);
  await subscriptions.applySubscription(renewed, asService('billing'));
  await i.clinics.updateClinic({ clinicId, plan: 'pro', expiresInDays: 90 }, asOperator());
  await subscriptions.applySubscription(replayed(6, 65), asService('billing'));
  await subscriptions.applySubscription({ ...renewed, revision: 7 }, asService('billing'));
  expect(await shown(clinicId)).toMatchObject({ plan: 'pro', until: inDays(90) });
});

test.each([
  [
    'is cancelled and expires',
    [
      ['cancelled', 12],
      ['ended', 12],
    ],
  ],
  [
    'fails and stays unpaid',
    [
      ['past_due', 20],
      ['ended', -1],
    ],
  ],
  [
    'fails late and stays unpaid',
    [
      ['past_due', -1],
      ['ended', -1],
    ],
  ],
  ['is paused', [['paused', 20]]],
  ['is refunded', [['ended', -1]]],
] as const)('a change by an operator remains when the subscription that was paid before %s, until the next payment', async (_, events) => {
  for (const expiresInDays of [365, 2]) {
    const clinicId = await registered('basic');
    await apply(clinicId, 1, 'pro', 20);
    await i.clinics.updateClinic({ clinicId, plan: 'clinica', expiresInDays }, asOperator());
    for (const [index, [status, days]] of events.entries()) {
      await apply(clinicId, index + 2, 'pro', days, status);
      expect(await shown(clinicId)).toMatchObject({ plan: 'clinica', until: inDays(expiresInDays) });
    }
    await apply(clinicId, 9, 'pro', 40);
    expect(await shown(clinicId)).toMatchObject({ plan: 'pro', until: inDays(40) });
  }
});

test.each([
  ['past_due', 27],
  ['ended', -1],
])('%s applies when an operator has changed only the plan', async (status, days) => {
  const clinicId = await registered('basic');
  await apply(clinicId, 1, 'pro', 20);
  await i.clinics.updateClinic({ clinicId, plan: 'clinica' }, asOperator());
  expect(await shown(clinicId)).toMatchObject({ plan: 'clinica', until: inDays(20) });
  await apply(clinicId, 2, 'pro', days, status);
  expect(await shown(clinicId)).toMatchObject({ until: inDays(days) });
});

test('a plan set by an operator for an expired clinic grants 30 days, and the next payment applies', async () => {
  const clinicId = await registered('trial');
  await apply(clinicId, 1, 'basic', -1, 'ended');
  await i.clinics.updateClinic({ clinicId, plan: 'basic' }, asOperator());
  expect(await shown(clinicId)).toMatchObject({ plan: 'basic', until: inDays(30) });
  await i.clinics.updateClinic({ clinicId, plan: 'pro' }, asOperator());
  expect(await shown(clinicId)).toMatchObject({ plan: 'pro', until: inDays(30) });
  await apply(clinicId, 2, 'pro', 20);
  expect(await shown(clinicId)).toMatchObject({ plan: 'pro', until: inDays(20) });
});

test.each([
  ['plan', { plan: 'forever_free' }],
  ['plan', { plan: 'trial' }],
  ['status', { status: '' }],
  ['expiresAt', { expiresAt: undefined }],
  ['sourceEventId', { sourceEventId: 'x' }],
])('an invalid %s is refused by name: %j', async (path, change) => {
  const request = { ...paid(await registered(), 1, 'pro', 1), ...change };
  await expect(i.service.client(SubscriptionService).applySubscription(request, asService('billing'))).rejects.toMatchObject({ details: [{ path }] });
});

test('an unknown clinic is not found, and only services may call', async () => {
  await expect(apply(randomUUID(), 1, 'pro', 1)).rejects.toMatchObject({ reason: 'NOT_FOUND' });
  const clinicId = await registered();
  const client = i.service.client(SubscriptionService);
  const calls = [asAnonymous(), asAdmin(clinicId), asOperator()].map((caller) => client.applySubscription(paid(clinicId, 1, 'pro', 1), caller));
  expect((await outcomes(calls)).answers).toEqual([]);
});

test('warnings are published 7, 3 and 1 days before, once each, and again for a new expiry', async () => {
  const clinicId = await registered('basic');
  await setExpiry(clinicId, 10);
  const app = { db: i.service.db, clock: i.clock } as never;
  const publishedDays = async () => {
    const events = await i.look(`select payload from outbox where clinic_id = $1 and subject like '%subscription-expiring' order by id`, [clinicId]);
    return events.map(({ payload }) => payload.daysLeft);
  };
  const at = async (days: number) => {
    i.clock.set(inDays(days));
    await Promise.all([warnOfExpiry(app), warnOfExpiry(app)]);
    return publishedDays();
  };
  expect(await at(2.9)).toEqual([]);
  expect(await at(3)).toEqual([7]);
  expect(await at(5)).toEqual([7]);
  expect(await at(7)).toEqual([7, 3]);
  expect(await at(9.2)).toEqual([7, 3, 1]);
  expect(await at(10)).toEqual([7, 3, 1]);
  i.clock.set(NOW);
  await setExpiry(clinicId, 20);
  expect(await at(19.5)).toEqual([7, 3, 1, 1]);
});

test('a subscription that renews by itself gets no warning', async () => {
  const became =
    (status: string, days = 2) =>
    (clinicId: string) =>
      apply(clinicId, 2, 'pro', days, status);
  const cases: [change: (clinicId: string) => Promise<unknown>, warned: number[]][] = [
    [async () => undefined, []],
    [became('active'), []],
    ...['cancelled', 'past_due', 'paused', 'provisional'].map((status): [ReturnType<typeof became>, number[]] => [became(status), [3]]),
    [(clinicId) => setExpiry(clinicId, 3), [3]],
    // A renewal that is past when it is applied does not replace what was granted.
    [became('active', -1), [7]],
  ];
  const clinics = [];
  for (const [change] of cases) {
    const clinicId = await registered('basic');
    await setExpiry(clinicId, 5);
    await apply(clinicId, 1, 'pro', 2);
    await change(clinicId);
    clinics.push(clinicId);
  }
  await warnOfExpiry({ db: i.service.db, clock: i.clock } as never);
  const events = await i.look(`select clinic_id, payload from outbox where clinic_id = any($1) and subject like '%subscription-expiring'`, [clinics]);
  const warned = clinics.map((id) => events.filter(({ clinic_id }) => clinic_id === id).map(({ payload }) => payload.daysLeft));
  expect(warned).toEqual(cases.map(([, days]) => days));
  const states = await Promise.all(clinics.map((clinicId) => i.access.resolveClinic({ clinicId }, asService('messaging'))));
  expect(states.map(({ subscriptionRenews }) => subscriptionRenews)).toEqual(cases.map(([, days]) => days.length === 0));
});

test('a warning is mailed to the active admins, unless the subscription was renewed', async () => {
  i.codes.plan = 'basic';
  const { clinic, user } = await i.register();
  const clinicId = clinic?.id ?? '';
  const admin = asAdmin(clinicId, { userId: user?.id ?? '' });
  await i.users.createUser({ fullName: 'Carla', email: `carla-${clinicId}@example.com`, password: PASSWORD }, admin);
  await setExpiry(clinicId, 3);
  const mailed = async () => {
    const [last] = await i.look(`select data from identity_jobs.job where name = 'mail-expiry' and data->>'clinicId' = $1 order by created_on desc limit 1`, [
      clinicId,
    ]);
    i.dependencies.calls.length = 0;
    await mailExpiry({ db: i.service.db, clock: i.clock, mail: createClient(MailService, i.dependencies.transports.messaging) } as never).work(last.data);
    const sent = i.dependencies.calls.filter(({ rpc }) => rpc === 'messaging.sendMail').map(({ request }) => request);
    // The service's own worker may send it as well, and those of other clinics.
    return [...new Map(sent.filter(({ reference }) => String(reference).startsWith(clinicId)).map((request) => [request.reference, request])).values()];
  };
  await warnOfExpiry({ db: i.service.db, clock: i.clock } as never);
  const [first, ...others] = await mailed();
  expect(others).toEqual([]);
  expect(first).toMatchObject({ kind: 'subscription_expiring', to: user?.email, parameters: { name: 'Ana Rivas', clinic: 'Clínica Sonrisa', days: '3' } });
  expect((await mailed()).map(({ reference }) => reference)).toEqual([first?.reference]);
  await setExpiry(clinicId, 40);
  expect(await mailed()).toEqual([]);
});

test('suspended clinics and those without an expiry get no warning', async () => {
  const [suspended, free] = [await registered('basic'), await registered('forever_free')];
  await i.clinics.updateClinic({ clinicId: suspended, expiresInDays: 2, isActive: false }, asOperator());
  await warnOfExpiry({ db: i.service.db, clock: i.clock } as never);
  expect(await i.look(`select 1 from outbox where clinic_id = any($1) and subject like '%expiring'`, [[suspended, free]])).toEqual([]);
});
