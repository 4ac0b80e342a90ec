// Stores an event of the payment provider before it is parsed, so that no content can make it fail or lose it.
import { asSystem } from '@clinic/lib/db/db.ts';
import { enqueue } from '@clinic/lib/jobs/jobs.ts';
import type { ReceivePaymentEventRequest } from '@clinic/proto/billing/v1/payment_event_pb.js';
import { v7 } from 'uuid';
import type { App } from '../app.ts';
import { dedupeKey } from './dedupe-rules.ts';
import { encryptBody } from './encrypted-body.ts';
import { findEventId, insertPaymentEvent } from './payment-events.sql.ts';
import { WORK_PAYMENT_EVENT } from './process-event.ts';
import { wordOf } from './third-party-json-rules.ts';

export async function receivePaymentEvent(app: App, { body, eventName }: ReceivePaymentEventRequest) {
  const id = v7();
  const event = { id, dedupeKey: dedupeKey(body), ciphertext: encryptBody(app, id, body), headerName: wordOf(eventName) ?? '' };
  // As the system: the clinic of the event is not known yet.
  return asSystem(app.db, async (tx) => {
    if (!(await insertPaymentEvent(tx, event, app.clock.now()))) return { id: await findEventId(tx, event.dedupeKey) };
    await enqueue(tx, WORK_PAYMENT_EVENT, { eventId: id });
    return { id };
  });
}
