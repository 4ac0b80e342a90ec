// Processes a stored event: parses it into a fact, and computes from all facts of its clinic what the clinic has paid for. Processing an
// event again ends in the same state.
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { asSystem, type SystemTx } from '@clinic/lib/db/db.ts';
import { emit } from '@clinic/lib/events/outbox.ts';
import { toFields } from '@clinic/lib/formats/to-fields.ts';
import { enqueue, job } from '@clinic/lib/jobs/jobs.ts';
import { OrderChangedSchema, SubscriptionChangedSchema } from '@clinic/proto/events/v1/billing_pb.js';
import type { App } from '../app.ts';
import { type Access, accessOf, isFollowed, ordersOf } from './access-rules.ts';
import { applyToIdentity } from './apply-to-identity.ts';
import { getSourceEventId, isUnconfirmed, putSubscription, retryUnknownClinic } from './clinic-subscriptions.sql.ts';
import { decryptBody } from './encrypted-body.ts';
import type { Fact } from './fact-rules.ts';
import { putOrder } from './orders.sql.ts';
import { parseEvent } from './parse-event-rules.ts';
import { type EventOutcome, lockRawEvent, markPaymentEvent, type RawEvent, settleEventsOf } from './payment-events.sql.ts';
import { assignClinic, hasFact, listFacts, lockFacts, putFact } from './payment-facts.sql.ts';
import { timeline } from './timeline-rules.ts';

export const WORK_PAYMENT_EVENT = 'work-payment-event';

/** How long before a subscription expires the one that follows it is applied, so that none of the clinic's requests is refused in between. */
const LEAD_MS = 60_000;

/**
 * Processes the event, or with `expiredAt` applies the subscription that its clinic has after another one expired at that instant. When identity is
 * unavailable the job is retried, and after that the sweep calls it.
 */
export const workPaymentEvent = (app: App) =>
  job<{ eventId: string; expiredAt?: number }>(WORK_PAYMENT_EVENT, { retries: 5, limitSeconds: 60 }, async ({ eventId, expiredAt }) => {
    const clinics = expiredAt === undefined ? await processEvent(app, eventId) : await processExpiry(app, eventId, expiredAt);
    for (const clinicId of clinics) await applyToIdentity(app, clinicId);
  });

/** Returns the clinics whose subscription may have changed. */
export function processEvent(app: App, eventId: string): Promise<string[]> {
  // As the system: the clinic of the event is only determined here.
  return asSystem(app.db, async (tx) => {
    await lockFacts(tx);
    const raw = await lockRawEvent(tx, eventId);
    return raw ? processRaw(app, tx, raw) : [];
  });
}

/** Recomputes the subscription of the event's clinic for the instant at which it expired. */
function processExpiry(app: App, eventId: string, expiredAt: number): Promise<string[]> {
  // As the system, like processEvent().
  return asSystem(app.db, async (tx) => {
    await lockFacts(tx);
    const { affected } = await assignClinic(tx, eventId);
    for (const clinicId of affected) await updateClinic(app, tx, clinicId, eventId, Math.max(expiredAt, app.clock.now().getTime()));
    return affected;
  });
}

async function processRaw(app: App, tx: SystemTx, raw: RawEvent): Promise<string[]> {
  const now = app.clock.now();
  const context = { headerName: raw.header_name, receivedAt: raw.received_at.getTime(), variants: app.variants, production: app.production };
  const parsed = parseEvent(decryptBody(app, raw.id, raw.body_sealed), context);
  const { label } = parsed;
  if (parsed.verdict === 'fact') await putFact(tx, raw.id, parsed.fact);
  // An event whose variant was removed from the settings keeps its earlier fact when it is processed again.
  else if (parsed.verdict !== 'unknown_variant' || !(await hasFact(tx, raw.id))) {
    await markUnused(app, tx, raw.id, { status: parsed.verdict, reason: parsed.reason, label }, now);
    return [];
  }
  const { clinicId, affected } = await assignClinic(tx, raw.id);
  if (clinicId === undefined) {
    await markUnused(app, tx, raw.id, { status: 'unknown_clinic', reason: 'no event names its clinic', label }, now);
    return [];
  }
  const labelled = { ...label, clinicId };
  await markPaymentEvent(tx, raw.id, { status: 'applied', reason: null, label: labelled }, now);
  const results = await Promise.all(affected.map((clinic) => updateClinic(app, tx, clinic, raw.id, now.getTime())));
  if (!results.some(Boolean)) await markUnused(app, tx, raw.id, { status: 'unknown_variant', reason: 'no event names what was bought', label: labelled }, now);
  return affected;
}

/** Stores in the event why it has no effect, and logs it. */
async function markUnused(app: App, tx: SystemTx, eventId: string, outcome: EventOutcome, now: Date): Promise<void> {
  const { status, reason, label } = outcome;
  await markPaymentEvent(tx, eventId, outcome, now);
  const fields = { eventId, event: label.eventName, reason };
  if (status === 'ignored') app.log.info(fields, 'a payment event is ignored');
  else app.log.warn(fields, 'a payment event could not be applied: an operator must correct the cause and replay it');
}

/** Recomputes subscription and orders of a clinic at the instant `at`, and publishes what changed. False while no fact says what was bought. */
async function updateClinic(app: App, tx: SystemTx, clinicId: string, eventId: string, at: number): Promise<boolean> {
  const facts = await listFacts(tx, clinicId);
  await retryUnknownClinic(tx, clinicId);
  const access = accessOf(facts, app.graceDays, at);
  if (access) await updateSubscription(tx, clinicId, access, eventId);
  if (access && isFollowed(facts, app.graceDays, access, at)) await continueAfterExpiry(tx, clinicId, access.expiresAt);
  await updateOrders(tx, clinicId, facts);
  return access !== undefined;
}

async function updateSubscription(tx: SystemTx, clinicId: string, access: Access, eventId: string): Promise<void> {
  const changed = await putSubscription(tx, clinicId, access, eventId);
  if (changed) {
    const { plan, expires_at, status, revision, source_event_id } = changed;
    await emit(tx, clinicId, SubscriptionChangedSchema, { plan, expiresAt: timestampFromDate(expires_at), status, revision, sourceEventId: source_event_id });
  }
  await settleEventsOf(tx, clinicId, 'applied', null);
}

/** Queues the job that applies the subscription that follows. It has the id of a past event, so that identity does not shorten what an operator granted meanwhile. */
async function continueAfterExpiry(tx: SystemTx, clinicId: string, expiredAt: number): Promise<void> {
  const eventId = await getSourceEventId(tx, clinicId);
  await enqueue(tx, WORK_PAYMENT_EVENT, { eventId, expiredAt }, { startAfter: new Date(expiredAt - LEAD_MS) });
}

/** While identity has not applied any subscription of the clinic, which may not exist, its orders are stored and not published. */
async function updateOrders(tx: SystemTx, clinicId: string, facts: Fact[]): Promise<void> {
  const isPublished = !(await isUnconfirmed(tx, clinicId));
  for (const order of ordersOf(timeline(facts)).values()) {
    const changed = await putOrder(tx, clinicId, order);
    if (changed && isPublished) await emit(tx, clinicId, OrderChangedSchema, toFields(changed));
  }
}
