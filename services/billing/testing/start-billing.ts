// A running billing with a stand-in for identity that can be away, forget to answer, or not know a clinic.

import { fail } from '@clinic/lib/errors/errors.ts';
import { localTransport } from '@clinic/lib/rpc/local.ts';
import { type Call, implement } from '@clinic/lib/rpc/pipeline.ts';
import { manualClock } from '@clinic/lib/runtime/clock.ts';
import { createLog } from '@clinic/lib/telemetry/log.ts';
import { asOperator, asService } from '@clinic/lib/testing/callers.ts';
import { testService } from '@clinic/lib/testing/service.ts';
import { testSettings } from '@clinic/lib/testing/settings.ts';
import { waitFor } from '@clinic/lib/testing/wait-for.ts';
import { PaymentEventService } from '@clinic/proto/billing/v1/payment_event_pb.js';
import { StateService } from '@clinic/proto/billing/v1/states_pb.js';
import { type ApplySubscriptionRequest, SubscriptionService } from '@clinic/proto/identity/v1/subscription_pb.js';
import pg from 'pg';
import { createApp } from '../app.ts';
import billing from '../service.ts';
import { tellIdentity } from '../subscriptions/apply-to-identity.ts';
import { workEvent } from '../subscriptions/process-event.ts';
import { sweep } from '../subscriptions/sweep-payments.ts';
import type { Variants } from '../subscriptions/variants-rules.ts';
import { VARIANTS } from './provider-events.ts';

export const NOW = new Date('2026-06-01T14:00:00Z');

/** answers; is away; does it but its answer is lost; knows no clinic. */
export type Mood = 'answers' | 'away' | 'lost' | 'ignorant';

export async function startBilling(settings: Record<string, string> = {}) {
  const clock = manualClock(NOW);
  const told: ApplySubscriptionRequest[] = [];
  const identity = { mood: 'answers' as Mood };
  const standIn = implement({ log: createLog('identity', 'silent'), constraints: {} }, SubscriptionService, {
    async applySubscription(_app: unknown, request: ApplySubscriptionRequest, call: Call) {
      if (call.caller.kind !== 'service' || call.caller.id !== 'billing') fail('FORBIDDEN');
      if (identity.mood === 'away') fail('UNAVAILABLE');
      if (identity.mood === 'ignorant') fail('NOT_FOUND', 'Clinic not found');
      told.push(request);
      if (identity.mood === 'lost') fail('UNAVAILABLE');
      return { plan: request.plan };
    },
  });
  const transport = localTransport([standIn]);
  const given = { PAYMENTS_VARIANTS: JSON.stringify(VARIANTS), ...settings };
  const service = await testService(billing, {
    clock,
    dependencies: { identity: transport, scheduling: transport, messaging: transport },
    settings: given,
  });
  const events = service.client(PaymentEventService);
  const owner = new pg.Pool({ connectionString: service.database.ownerUrl, max: 2, options: '-c search_path=billing' });
  owner.on('error', () => {});
  const read = testSettings(billing.settings, { DATABASE_URL: service.database.url('billing'), ...given });
  const app = createApp({ settings: read, db: service.db, clock, log: createLog('billing', 'silent'), transportTo: () => transport });
  const find = async (id: string) => (await events.listPaymentEvents({ limit: 500 }, asOperator())).events.find((event) => event.id === id);
  const settled = (ids: string[]) =>
    waitFor(async () => {
      const found = await Promise.all(ids.map(find));
      return found.every((event) => event && event.status !== 'received') && found.map((event) => event?.status);
    }, 20_000);
  return {
    service,
    clock,
    identity,
    /** What identity was asked, oldest first. */
    told,
    events,
    states: service.client(StateService),
    find,
    receive: async (body: object | string | Uint8Array, eventName = '') => {
      const bytes = body instanceof Uint8Array ? body : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
      return (await events.receivePaymentEvent({ body: bytes, eventName }, asService('gateway'))).id;
    },
    /** Waits until the jobs have worked on the events, and gives their statuses. */
    settled,
    /** The same without waiting for the next poll of the jobs: what they do, at once. */
    worked: async (ids: string[], variants: Variants = app.variants) => {
      for (const id of ids) for (const clinicId of await workEvent({ ...app, variants }, id)) await tellIdentity(app, clinicId).catch(() => {});
      return settled(ids);
    },
    /** The sweep of each minute, at once. */
    sweep: () => sweep(app),
    replay: (id: string) => events.replayPaymentEvent({ id }, asOperator('maria')),
    /** As the owner: for looking behind the curtain. */
    look: async (text: string, values: unknown[] = []) => (await owner.query(text, values)).rows,
    async stop() {
      await owner.end();
      await service.stop();
    },
  };
}

export type Billing = Awaited<ReturnType<typeof startBilling>>;
