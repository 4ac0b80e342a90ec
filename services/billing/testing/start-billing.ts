// A running billing service with a stub of identity that can be unavailable, lose its answer, or not know a clinic.

import { fail } from '@clinic/lib/errors/errors.ts';
import { localTransport } from '@clinic/lib/rpc/local.ts';
import { type Call, implement } from '@clinic/lib/rpc/pipeline.ts';
import { createLog } from '@clinic/lib/telemetry/log.ts';
import { asOperator, asService } from '@clinic/lib/testing/callers.ts';
import { manualClock } from '@clinic/lib/testing/clock.ts';
import { testService } from '@clinic/lib/testing/service.ts';
import { testSettings } from '@clinic/lib/testing/settings.ts';
import { waitFor } from '@clinic/lib/testing/wait-for.ts';
import { PaymentEventService } from '@clinic/proto/billing/v1/payment_event_pb.js';
import { StateService } from '@clinic/proto/billing/v1/states_pb.js';
import { type ApplySubscriptionRequest, SubscriptionService } from '@clinic/proto/identity/v1/subscription_pb.js';
import pg from 'pg';
import { createApp } from '../app.ts';
import billing from '../service.ts';
import { applyToIdentity } from '../subscriptions/apply-to-identity.ts';
import { processEvent, WORK_PAYMENT_EVENT, workPaymentEvent } from '../subscriptions/process-event.ts';
import { sweep } from '../subscriptions/sweep-payments.ts';
import type { Variants } from '../subscriptions/variants-rules.ts';
import { VARIANTS } from './provider-events.ts';

export const NOW = new Date('2026-06-01T14:00:00Z');

/** lost: identity applies the subscription but its answer is lost. slow: it answers once `slow` resolves. */
type IdentityMode = 'available' | 'unavailable' | 'lost' | 'unknown-clinic' | 'slow';

export async function startBilling(settings: Record<string, string> = {}) {
  const clock = manualClock(NOW);
  const applied: ApplySubscriptionRequest[] = [];
  const identity = { mode: 'available' as IdentityMode, slow: Promise.resolve() };
  const stub = implement({ log: createLog('identity', 'silent'), constraints: {} }, SubscriptionService, {
    async applySubscription(_app: unknown, request: ApplySubscriptionRequest, call: Call) {
      if (call.caller.kind !== 'service' || call.caller.id !== 'billing') fail('FORBIDDEN');
      if (identity.mode === 'unavailable') fail('UNAVAILABLE');
      if (identity.mode === 'slow') await identity.slow;
      if (identity.mode === 'unknown-clinic') fail('NOT_FOUND', 'Clinic not found');
      applied.push(request);
      if (identity.mode === 'lost') fail('UNAVAILABLE');
      return { plan: request.plan };
    },
  });
  const transport = localTransport([stub]);
  const given = { PAYMENTS_VARIANTS: JSON.stringify(VARIANTS), ...settings };
  const service = await testService(billing, {
    clock,
    dependencies: { identity: transport, scheduling: transport, dental: transport, messaging: transport },
    settings: given,
  });
  const events = service.client(PaymentEventService);
  const owner = new pg.Pool({ connectionString: service.database.ownerUrl, max: 2, options: '-c search_path=billing' });
  owner.on('error', () => {});
  const read = testSettings(billing.settings, { ...service.database.urls('billing'), ...given });
  const logged: string[] = [];
  const log = createLog('billing', 'info', { write: (line: string) => void logged.push(line) });
  const app = createApp({ settings: read, db: service.db, clock, log, transportTo: () => transport });
  const find = async (id: string) => (await events.listPaymentEvents({ limit: 500 }, asOperator())).events.find((event) => event.id === id);
  const settled = (ids: string[]) =>
    waitFor(async () => {
      const found = await Promise.all(ids.map(find));
      return found.every((event) => event && event.status !== 'received') && found.map((event) => event?.status);
    });
  return {
    service,
    clock,
    identity,
    /** Requests that identity applied, oldest first. */
    applied,
    events,
    states: service.client(StateService),
    find,
    receive: async (body: object | string | Uint8Array, eventName = '') => {
      const bytes = body instanceof Uint8Array ? body : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
      return (await events.receivePaymentEvent({ body: bytes, eventName }, asService('gateway'))).id;
    },
    /** Waits until the jobs have processed the events, and returns their statuses. */
    settled,
    /** Lines that processed(), work() and sweep() wrote to the log. */
    logged,
    /** Processes the events at once instead of waiting for the jobs. */
    processed: async (ids: string[], variants: Variants = app.variants) => {
      for (const id of ids) for (const clinicId of await processEvent({ ...app, variants }, id)) await applyToIdentity(app, clinicId).catch(() => {});
      return settled(ids);
    },
    /** Waits until no job has an event to process or waits to be retried. */
    jobsEnded: () =>
      waitFor(
        async () =>
          (await owner.query(`select 1 from billing_jobs.job where name = $1 and state < 'completed' and start_after <= now()`, [WORK_PAYMENT_EVENT]))
            .rowCount === 0,
        20_000,
      ),
    /** Does the work of a queued job at once. */
    work: (data: object) => workPaymentEvent(app).work(data),
    /** Runs the sweep that the job runs every minute. */
    sweep: () => sweep(app),
    replay: (id: string) => events.replayPaymentEvent({ id }, asOperator('maria')),
    /** A query as the owner of the schema. */
    query: async (text: string, values: unknown[] = []) => (await owner.query(text, values)).rows,
    async stop() {
      await owner.end();
      await service.stop();
    },
  };
}

export type Billing = Awaited<ReturnType<typeof startBilling>>;
