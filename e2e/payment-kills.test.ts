// A payment on its way from the webhook to the plan, and a process that is killed at each step: the end is the same as if
// nothing had happened. It needs processes to kill, so it runs where each service is one, on a product of its own.
import { execFileSync } from 'node:child_process';
import { createHmac, randomUUID } from 'node:crypto';
import { publicApi } from '@clinic/lib/testing/public-api.ts';
import { waitFor } from '@clinic/lib/testing/wait-for.ts';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { type Api, apiAt, type Body } from './api.ts';
import { type Clinic, newClinic } from './clinic.ts';
import { type OwnProduct, startOwnProduct } from './own-product.ts';
import { asOwner, ownerUrl } from './product-internals.ts';

const SECRET = 'a-secret-of-the-tests';
const DAY_MS = 86_400_000;
const TODAY = new Date().toISOString();
/** A killed worker's job is found within half a minute. */
const FOUND_MS = 60_000;

type Service = 'billing' | 'identity';

const inManyProcesses = publicApi().topology === 'distributed' ? describe : describe.skip;

inManyProcesses('a payment ends the same, though', () => {
  let product: OwnProduct;
  let api: Api;
  let undisturbed: Body;

  beforeAll(async () => {
    const settings = { PAYMENTS_WEBHOOK_SECRET: SECRET, PAYMENTS_VARIANTS: '{"222":{"plan":"pro","cycle":"month"}}' };
    product = await startOwnProduct(settings, 'distributed');
    api = apiAt(product.api);
    const clinic = await newClinic(api, { plan: 'trial' });
    await paid(clinic);
    undisturbed = await end(clinic);
    expect(undisturbed).toEqual({ plan: 'pro', days: expect.any(Number), events: ['applied'], orders: 1, revisions: [1], audited: 1 });
  }, 90_000);
  afterAll(async () => {
    await product?.stop();
  });

  const orders = new Map<string, string>();
  /** The order of a clinic, byte for byte the same when it is sent again. */
  function pay(clinic: Clinic) {
    const raw =
      orders.get(clinic.id) ??
      JSON.stringify({
        meta: { event_name: 'order_created', webhook_id: randomUUID(), custom_data: { clinic_id: clinic.id } },
        data: {
          type: 'orders',
          id: String(orders.size + 1),
          attributes: { order_number: 1, status: 'paid', total: 2900, first_order_item: { variant_id: 222 }, created_at: TODAY },
        },
      });
    orders.set(clinic.id, raw);
    return api.post('/webhooks/payments', raw, { headers: { 'X-Signature': createHmac('sha256', SECRET).update(raw).digest('hex') } });
  }

  /** Sent until it is taken, as the provider does. */
  const paid = (clinic: Clinic) => waitFor(async () => (await pay(clinic)).status === 200, 30_000);

  /** The stored state when processing has finished. */
  async function end(clinic: Clinic): Promise<Body> {
    const one = async (statement: string) => (await asOwner(product.api, statement, [clinic.id]))[0];
    const applied = 'select applied_revision = revision as applied from billing.clinic_subscriptions where clinic_id = $1';
    await waitFor(async () => (await one(applied))?.applied === true, FOUND_MS);
    const { plan, until } = await one('select subscription_plan as plan, subscription_expires_at as until from identity.clinics where clinic_id = $1');
    return {
      plan,
      days: Math.round((until.getTime() - Date.parse(TODAY)) / DAY_MS),
      events: (await one('select array_agg(status) as found from billing.payment_events where clinic_id = $1')).found,
      orders: (await one('select count(*)::int as n from billing.orders where clinic_id = $1')).n,
      revisions: (await one('select array_agg(revision) as found from identity.applied_subscriptions where clinic_id = $1')).found,
      audited: (await one(`select count(*)::int as n from identity.audit_log where clinic_id = $1 and action = 'clinic.updated' and actor_id = 'billing'`)).n,
    };
  }

  /** Somebody else's transaction, in whose way the service stands until it ends. */
  async function hold(statement: string, values: unknown[] = []) {
    const client = new pg.Client({ connectionString: ownerUrl(product.api) });
    await client.connect();
    await client.query('begin');
    await client.query(statement, values);
    return {
      async release() {
        await client.query('rollback');
        await client.end();
      },
    };
  }
  const WAITING = `select count(*)::int as n from pg_stat_activity where application_name = $1 and wait_event_type = 'Lock'`;
  const stands = (service: Service) => waitFor(async () => (await asOwner(product.api, WAITING, [`clinic-${service}`]))[0].n > 0, 20_000);

  function processOf(service: Service): number | undefined {
    const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,args='], { encoding: 'utf8', maxBuffer: 16 * 1024 * 1024 }).split('\n');
    const all = lines.flatMap((line) => {
      const [, pid, parent, args = ''] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [];
      return pid ? [{ pid: Number(pid), parent: Number(parent), args }] : [];
    });
    const ours = new Set([product.pid]);
    for (let size = 0; size !== ours.size; ) {
      size = ours.size;
      for (const { pid, parent } of all) if (ours.has(parent)) ours.add(pid);
    }
    return all.find(({ pid, args }) => ours.has(pid) && args.includes(`services/${service}/main.ts`))?.pid;
  }

  /** Kills it, and waits for the one that comes in its place. */
  async function kill(service: Service): Promise<void> {
    const pid = processOf(service) ?? 0;
    expect(pid).toBeGreaterThan(0);
    process.kill(pid, 'SIGKILL');
    await waitFor(() => ![undefined, pid].includes(processOf(service)), 20_000);
  }

  test('billing is killed while it stores the event: the provider gets 503 and sends it again', async () => {
    const clinic = await newClinic(api, { plan: 'trial' });
    const held = await hold('lock table billing.payment_events in share mode');
    const answer = pay(clinic);
    await stands('billing');
    await kill('billing');
    await held.release();
    expect((await answer).status).toBe(503);
    await paid(clinic);
    expect(await end(clinic)).toEqual(undisturbed);
  }, 120_000);

  test('billing is killed while it works on the event', async () => {
    const clinic = await newClinic(api, { plan: 'trial' });
    const held = await hold('lock table billing.payment_facts in share mode');
    await paid(clinic);
    await stands('billing');
    await kill('billing');
    await held.release();
    expect(await end(clinic)).toEqual(undisturbed);
  }, 120_000);

  const CLINIC = 'select from identity.clinics where clinic_id = $1 for update';

  test.each(['identity', 'billing'] as const)(
    '%s is killed while identity changes the plan',
    async (service) => {
      const clinic = await newClinic(api, { plan: 'trial' });
      const held = await hold(CLINIC, [clinic.id]);
      await paid(clinic);
      await stands('identity');
      await kill(service);
      await held.release();
      expect(await end(clinic)).toEqual(undisturbed);
    },
    120_000,
  );

  test('billing is killed when identity has changed the plan and billing has not noted it', async () => {
    const clinic = await newClinic(api, { plan: 'trial' });
    const before = await hold(CLINIC, [clinic.id]);
    await paid(clinic);
    await stands('identity');
    const after = await hold('select from billing.clinic_subscriptions where clinic_id = $1 for update', [clinic.id]);
    await before.release();
    await stands('billing');
    expect((await api.get('/api/auth/me', clinic)).body.subscription.plan).toBe('pro');
    await kill('billing');
    await after.release();
    expect(await end(clinic)).toEqual(undisturbed);
  }, 120_000);
});
