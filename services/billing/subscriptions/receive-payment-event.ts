// An event of the payment provider is kept before anybody looks into it, so that nothing it holds can lose it.
import { asSystem } from '@clinic/lib/db/db.ts';
import { enqueue } from '@clinic/lib/jobs/jobs.ts';
import type { ReceivePaymentEventRequest } from '@clinic/proto/billing/v1/payment_event_pb.js';
import { v7 } from 'uuid';
import type { App } from '../app.ts';
import { dedupeKey } from './dedupe-rules.ts';
import { sealBody } from './encrypted-body.ts';
import { findEventId, insertPaymentEvent } from './payment-events.sql.ts';
import { WORK_PAYMENT_EVENT } from './queues.ts';
import { wordOf } from './third-party-json-rules.ts';

export async function receivePaymentEvent(app: App, { body, eventName }: ReceivePaymentEventRequest) {
  const id = v7();
  const event = { id, dedupeKey: dedupeKey(body), sealed: sealBody(app, id, body), headerName: wordOf(eventName) ?? '' };
  // As the system: the event belongs to no clinic yet.
  return asSystem(app.db, async (tx) => {
    if (!(await insertPaymentEvent(tx, event, app.clock.now()))) return { id: await findEventId(tx, event.dedupeKey) };
    await enqueue(tx, WORK_PAYMENT_EVENT, { eventId: id });
    return { id };
  });
}
