// Applies what a clinic has paid for in identity, at once; the event SubscriptionChanged does the same later. It stays marked as unapplied
// until identity has answered, so a lost call is repeated. The first answer shows that the clinic exists, and its orders are published.
import { randomUUID } from 'node:crypto';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { asSystem, type SystemTx } from '@clinic/lib/db/db.ts';
import { ServiceError } from '@clinic/lib/errors/errors.ts';
import { emit } from '@clinic/lib/events/outbox.ts';
import { toFields } from '@clinic/lib/formats/to-fields.ts';
import { serviceCaller } from '@clinic/lib/rpc/caller.ts';
import { callAs } from '@clinic/lib/rpc/context.ts';
import { OrderChangedSchema } from '@clinic/proto/events/v1/billing_pb.js';
import type { App } from '../app.ts';
import { type ClinicSubscriptionRow, findUnapplied, isUnconfirmed, markApplied, markUnknownClinic } from './clinic-subscriptions.sql.ts';
import { listOrdersOf } from './orders.sql.ts';
import { settleEventsOf } from './payment-events.sql.ts';

/** Throws when identity did not answer; then it must be called again. */
export async function applyToIdentity(app: App, clinicId: string): Promise<void> {
  const unapplied = await findUnapplied(app.db, clinicId);
  if (!unapplied) return;
  const isKnown = await callIdentity(app, unapplied);
  await asSystem(app.db, (tx) => (isKnown ? confirm(tx, unapplied) : markUnknown(tx, unapplied)));
  if (!isKnown) app.log.warn({ clinicId, eventId: unapplied.source_event_id }, 'a payment event names a clinic that does not exist');
}

/** Orders that were stored while it was not known whether the clinic exists are published now. */
async function confirm(tx: SystemTx, { clinic_id, revision }: ClinicSubscriptionRow): Promise<void> {
  const orders = (await isUnconfirmed(tx, clinic_id)) ? await listOrdersOf(tx, clinic_id) : [];
  for (const order of orders) await emit(tx, clinic_id, OrderChangedSchema, toFields(order));
  await markApplied(tx, clinic_id, revision);
}

async function markUnknown(tx: SystemTx, { clinic_id, revision }: ClinicSubscriptionRow): Promise<void> {
  await markUnknownClinic(tx, clinic_id, revision);
  await settleEventsOf(tx, clinic_id, 'unknown_clinic', 'there is no such clinic');
}

/** False when identity has no such clinic. */
async function callIdentity(app: App, { clinic_id, plan, expires_at, status, source_event_id, revision }: ClinicSubscriptionRow): Promise<boolean> {
  const request = { clinicId: clinic_id, plan, expiresAt: timestampFromDate(expires_at), status, sourceEventId: source_event_id, revision };
  try {
    await app.subscriptions.applySubscription(request, callAs(serviceCaller('billing', randomUUID())));
    return true;
  } catch (error) {
    if (error instanceof ServiceError && error.reason === 'NOT_FOUND') return false;
    throw error;
  }
}
