// Applies the subscription that a clinic has paid for, as reported by billing. The change applies to the next request of the clinic.
import { inTenant } from '@clinic/lib/db/db.ts';
import { found, invalid } from '@clinic/lib/errors/errors.ts';
import { toTimestamp } from '@clinic/lib/formats/timestamp.ts';
import { parseUuid } from '@clinic/lib/formats/uuid.ts';
import type { Call } from '@clinic/lib/rpc/pipeline.ts';
import type { ApplySubscriptionRequest } from '@clinic/proto/identity/v1/subscription_pb.js';
import type { App } from '../app.ts';
import { applyPaidSubscription, parsePaid } from './apply-paid.ts';

export async function applySubscription(app: App, request: ApplySubscriptionRequest, call: Call) {
  const clinicId = parseUuid('clinicId', request.clinicId);
  const paid = parsePaid(request, request.expiresAt ?? invalid('expiresAt', 'is required'), parseUuid('sourceEventId', request.sourceEventId));
  const clinic = found(await inTenant(app.db, clinicId, (tx) => applyPaidSubscription(tx, clinicId, paid, call.caller, app.clock.now())), 'Clinic');
  return { plan: clinic.subscription_plan, expiresAt: toTimestamp(clinic.subscription_expires_at) };
}
