// Works on a kept event: understands it, and folds all that is known of its clinic into what the clinic has paid for.
// Doing it again ends in the same state.

import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { asSystem, type SystemTx } from '@clinic/lib/db/db.ts';
import { emit } from '@clinic/lib/events/outbox.ts';
import { OrderChangedSchema, SubscriptionChangedSchema } from '@clinic/proto/events/v1/billing_pb.js';
import type { App } from '../app.ts';
import { accessOf, ordersOf } from './access-rules.ts';
import { putSubscription, retryUnknownClinic } from './clinic-subscriptions.sql.ts';
import { openBody } from './encrypted-body.ts';
import { putOrder, toEvent } from './orders.sql.ts';
import { readEvent } from './parse-event-rules.ts';
import { lockRawEvent, markPaymentEvent, type RawEvent, settleEventsOf } from './payment-events.sql.ts';
import { assignClinic, factsOf, hasFact, lockFacts, putFact } from './payment-facts.sql.ts';
import { timeline } from './timeline-rules.ts';

/** Returns the clinics whose subscription may have changed. */
export function workEvent(app: App, eventId: string): Promise<string[]> {
  // As the system: which clinic the event belongs to is found out here.
  return asSystem(app.db, async (tx) => {
    await lockFacts(tx);
    const raw = await lockRawEvent(tx, eventId);
    return raw ? understand(app, tx, raw) : [];
  });
}

async function understand(app: App, tx: SystemTx, raw: RawEvent): Promise<string[]> {
  const now = app.clock.now();
  const context = { headerName: raw.header_name, receivedAt: raw.received_at.getTime(), variants: app.variants, production: app.production };
  const reading = readEvent(openBody(app, raw.id, raw.body_sealed), context);
  const { label } = reading;
  if (reading.verdict === 'fact') await putFact(tx, raw.id, reading.fact);
  // A variant that has left the settings changes no past: a replay goes on with what was understood before.
  else if (reading.verdict !== 'unknown_variant' || !(await hasFact(tx, raw.id))) {
    await markPaymentEvent(tx, raw.id, { status: reading.verdict, reason: reading.reason, label }, now);
    if (reading.verdict !== 'ignored')
      app.log.warn({ eventId: raw.id, event: label.eventName, reason: reading.reason }, 'a payment event waits for an operator');
    return [];
  }
  const { clinicId, affected } = await assignClinic(tx, raw.id);
  if (clinicId === undefined) {
    await markPaymentEvent(tx, raw.id, { status: 'unknown_clinic', reason: 'nothing says which clinic it is for', label }, now);
    app.log.warn({ eventId: raw.id, event: label.eventName }, 'a payment event names no clinic');
    return [];
  }
  const known = { ...label, clinicId };
  await markPaymentEvent(tx, raw.id, { status: 'applied', reason: null, label: known }, now);
  const derived = await Promise.all(affected.map((clinic) => derive(app, tx, clinic, raw.id)));
  if (!derived.some(Boolean)) await markPaymentEvent(tx, raw.id, { status: 'unknown_variant', reason: 'nothing says yet what was bought', label: known }, now);
  return affected;
}

/** Folds the facts of a clinic anew and tells what has changed. False while nothing says what was bought. */
async function derive(app: App, tx: SystemTx, clinicId: string, eventId: string): Promise<boolean> {
  const facts = await factsOf(tx, clinicId);
  for (const order of ordersOf(timeline(facts)).values()) {
    const changed = await putOrder(tx, clinicId, order);
    if (changed) await emit(tx, clinicId, OrderChangedSchema, toEvent(changed));
  }
  const access = accessOf(facts, app.graceDays);
  if (access) {
    const changed = await putSubscription(tx, clinicId, access, eventId);
    if (changed) {
      const { plan, expires_at, status, revision, source_event_id } = changed;
      await emit(tx, clinicId, SubscriptionChangedSchema, { plan, expiresAt: timestampFromDate(expires_at), status, revision, sourceEventId: source_event_id });
    }
  }
  await retryUnknownClinic(tx, clinicId);
  if (access) await settleEventsOf(tx, clinicId, 'applied', null);
  return access !== undefined;
}
