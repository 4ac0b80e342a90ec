// A process is killed at each step of a payment, from the webhook to the plan: the final state is the same as without a kill.
import { createHmac, randomUUID } from 'node:crypto';
import { waitFor } from '@clinic/lib/testing/wait-for.ts';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { type Api, apiAt, type Body } from '../api.ts';
import { type Clinic, newClinic } from '../clinic.ts';
import type { OwnProduct } from '../own-product.ts';
import { asOwner } from '../product-internals.ts';
import { disturb } from './disturb.ts';

const SECRET = 'a-secret-of-the-tests';
/** What the product needs for these tests. */
export const PAYMENT_SETTINGS = { PAYMENTS_WEBHOOK_SECRET: SECRET, PAYMENTS_VARIANTS: '{"222":{"plan":"pro","cycle":"month"}}' };
const DAY_MS = 86_400_000;
const TODAY = new Date().toISOString();
/** The job of a killed worker is retried within half a minute. */
const RETRIED_MS = 60_000;

export const testPaymentKills = (product: () => OwnProduct) =>
  describe('a payment ends the same although', () => {
    let api: Api;
    let undisturbed: Body;
    let steps: ReturnType<typeof disturb>;

    beforeAll(async () => {
      api = apiAt(product().api, { once: true });
      steps = disturb(product());
      const clinic = await newClinic(api, { plan: 'trial' });
      await paid(clinic);
      undisturbed = await end(clinic);
      expect(undisturbed).toEqual({ plan: 'pro', days: expect.any(Number), events: ['applied'], orders: 1, revisions: [1], audited: 1 });
    });

    const orders = new Map<string, string>();
    /** Sends the order of a clinic; repeated deliveries are identical byte for byte. */
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

    /** Sends the order until it is accepted, as the provider does. */
    const paid = (clinic: Clinic) => waitFor(async () => (await pay(clinic)).status === 200);

    /** The stored state when processing has finished. */
    async function end(clinic: Clinic): Promise<Body> {
      const one = async (statement: string) => (await asOwner(product().api, statement, [clinic.id]))[0];
      const applied = 'select applied_revision = revision as applied from billing.clinic_subscriptions where clinic_id = $1';
      await waitFor(async () => (await one(applied))?.applied === true, RETRIED_MS);
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

    test('billing is killed while it stores the event, so the provider receives 503 and sends it again', async () => {
      const clinic = await newClinic(api, { plan: 'trial' });
      const held = await steps.hold('lock table billing.payment_events in share mode');
      const answer = pay(clinic);
      await steps.untilBlocked('billing');
      await steps.kill('billing');
      await held.release();
      expect((await answer).status).toBe(503);
      await paid(clinic);
      expect(await end(clinic)).toEqual(undisturbed);
    });

    test('billing is killed while it processes the event', async () => {
      const clinic = await newClinic(api, { plan: 'trial' });
      const held = await steps.hold('lock table billing.payment_facts in share mode');
      await paid(clinic);
      await steps.untilBlocked('billing');
      await steps.kill('billing');
      await held.release();
      expect(await end(clinic)).toEqual(undisturbed);
    });

    const CLINIC = 'select from identity.clinics where clinic_id = $1 for update';

    test.each(['identity', 'billing'] as const)('%s is killed while identity changes the plan', async (service) => {
      const clinic = await newClinic(api, { plan: 'trial' });
      const held = await steps.hold(CLINIC, [clinic.id]);
      await paid(clinic);
      await steps.untilBlocked('identity');
      await steps.kill(service);
      await held.release();
      expect(await end(clinic)).toEqual(undisturbed);
    });

    test('billing is killed after identity has changed the plan and before billing has recorded that', async () => {
      const clinic = await newClinic(api, { plan: 'trial' });
      const before = await steps.hold(CLINIC, [clinic.id]);
      await paid(clinic);
      await steps.untilBlocked('identity');
      const after = await steps.hold('select from billing.clinic_subscriptions where clinic_id = $1 for update', [clinic.id]);
      await before.release();
      await steps.untilBlocked('billing');
      expect((await api.get('/api/auth/me', clinic)).body.subscription.plan).toBe('pro');
      await steps.kill('billing');
      await after.release();
      expect(await end(clinic)).toEqual(undisturbed);
    });
  });
