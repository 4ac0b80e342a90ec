// Tells identity what a clinic has paid for. What has to be told stands in clinic_subscriptions until identity has answered,
// so a call that is lost on its way there or back is made again.
import { randomUUID } from 'node:crypto';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { asSystem, readSystem } from '@clinic/lib/db/db.ts';
import { ServiceError } from '@clinic/lib/errors/errors.ts';
import { serviceCaller } from '@clinic/lib/rpc/caller.ts';
import { callAs } from '@clinic/lib/rpc/context.ts';
import type { App } from '../app.ts';
import { type ClinicSubscriptionRow, findUntoldStatement, markTold, markUnknownClinic } from './clinic-subscriptions.sql.ts';
import { settleEventsOf } from './payment-events.sql.ts';

/** Throws when identity did not answer; then it is to be tried again. */
export async function tellIdentity(app: App, clinicId: string): Promise<void> {
  // As the system: nobody of the clinic is asking.
  const [untold] = await readSystem(app.db, findUntoldStatement, [clinicId]);
  if (!untold) return;
  const known = await apply(app, untold);
  await asSystem(app.db, async (tx) => {
    if (known) return markTold(tx, clinicId, untold.revision);
    await markUnknownClinic(tx, clinicId, untold.revision);
    await settleEventsOf(tx, clinicId, 'unknown_clinic', 'there is no such clinic');
  });
  if (!known) app.log.warn({ clinicId, eventId: untold.source_event_id }, 'a payment names a clinic that there is not');
}

/** False when identity knows no such clinic. */
async function apply(app: App, { clinic_id, plan, expires_at, status, source_event_id, revision }: ClinicSubscriptionRow): Promise<boolean> {
  const request = { clinicId: clinic_id, plan, expiresAt: timestampFromDate(expires_at), status, sourceEventId: source_event_id, revision };
  try {
    await app.subscriptions.applySubscription(request, callAs(serviceCaller('billing', randomUUID())));
    return true;
  } catch (error) {
    if (error instanceof ServiceError && error.reason === 'NOT_FOUND') return false;
    throw error;
  }
}
