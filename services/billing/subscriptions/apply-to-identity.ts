// Applies what a clinic has paid for in identity, at once; the event SubscriptionChanged does the same later. It stays marked as unapplied
// until identity has answered, so a lost call is repeated.
import { randomUUID } from 'node:crypto';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { asSystem } from '@clinic/lib/db/db.ts';
import { ServiceError } from '@clinic/lib/errors/errors.ts';
import { serviceCaller } from '@clinic/lib/rpc/caller.ts';
import { callAs } from '@clinic/lib/rpc/context.ts';
import type { App } from '../app.ts';
import { type ClinicSubscriptionRow, findUnapplied, markApplied, markUnknownClinic } from './clinic-subscriptions.sql.ts';
import { settleEventsOf } from './payment-events.sql.ts';

/** Throws when identity did not answer; then it must be called again. */
export async function applyToIdentity(app: App, clinicId: string): Promise<void> {
  const unapplied = await findUnapplied(app.db, clinicId);
  if (!unapplied) return;
  const isKnown = await callIdentity(app, unapplied);
  await asSystem(app.db, async (tx) => {
    if (isKnown) return markApplied(tx, clinicId, unapplied.revision);
    await markUnknownClinic(tx, clinicId, unapplied.revision);
    await settleEventsOf(tx, clinicId, 'unknown_clinic', 'there is no such clinic');
  });
  if (!isKnown) app.log.warn({ clinicId, eventId: unapplied.source_event_id }, 'a payment event names a clinic that does not exist');
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
