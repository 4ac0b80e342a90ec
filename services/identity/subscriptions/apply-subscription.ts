// Billing tells what a clinic has paid for. The next request of the clinic sees it.
import { timestampDate } from '@bufbuild/protobuf/wkt';
import { audit, masked } from '@clinic/lib/audit/audit.ts';
import { inTenant } from '@clinic/lib/db/db.ts';
import { found, invalid } from '@clinic/lib/errors/errors.ts';
import { parseOneOf } from '@clinic/lib/formats/numbers.ts';
import { parseUuid } from '@clinic/lib/formats/uuid.ts';
import type { Call } from '@clinic/lib/rpc/pipeline.ts';
import type { ApplySubscriptionRequest } from '@clinic/proto/identity/v1/subscription_pb.js';
import type { App } from '../app.ts';
import { emitClinicUpdated } from '../clinics/clinic-updated.ts';
import { type ClinicRow, lockClinic, toTimestamp, updateClinic } from '../clinics/clinics.sql.ts';
import type { Subscription } from '../clinics/subscription-rules.ts';
import { type AppliedRow, findApplied, putApplied } from './applied-subscriptions.sql.ts';
import { PAID_PLANS, PAID_STATUSES, type Paid, withPaid } from './paid-subscription-rules.ts';

export async function applySubscription(app: App, request: ApplySubscriptionRequest, call: Call) {
  const clinicId = parseUuid('clinicId', request.clinicId);
  const source_event_id = parseUuid('sourceEventId', request.sourceEventId);
  const paid: Paid = {
    plan: parseOneOf('plan', request.plan, PAID_PLANS),
    expiresAt: request.expiresAt ? timestampDate(request.expiresAt) : invalid('expiresAt', 'is required'),
    status: parseOneOf('status', request.status, PAID_STATUSES),
  };
  const now = app.clock.now();
  return inTenant(app.db, clinicId, async (tx) => {
    const clinic = found(await lockClinic(tx), 'Clinic');
    const before = await findApplied(tx);
    if (before && before.revision >= request.revision) return answer(clinic);
    const granted = grantedTo(clinic, before);
    const { plan, expiresAt } = withPaid(granted, paid, now);
    await putApplied(
      tx,
      { revision: request.revision, plan, expires_at: expiresAt, granted_plan: granted.plan, granted_expires_at: granted.expiresAt, source_event_id },
      now,
    );
    const state = { subscription_plan: plan, subscription_expires_at: expiresAt, is_active: clinic.is_active };
    const changes = masked(subscriptionOf(clinic), subscriptionOf(state), []);
    if (Object.keys(changes).length === 0) return answer(clinic);
    const changed = await updateClinic(tx, state, now);
    await emitClinicUpdated(tx);
    await audit(tx, clinicId, call.caller, { action: 'clinic.updated', entityId: clinicId, changes });
    return answer(changed);
  });
}

/** What the clinic has but for its payments: what it shows now, if somebody else has changed it since the last payment. */
function grantedTo(clinic: ClinicRow, before: AppliedRow | undefined): Subscription {
  const untouched = before && before.plan === clinic.subscription_plan && before.expires_at?.getTime() === clinic.subscription_expires_at?.getTime();
  if (untouched) return { plan: before.granted_plan, expiresAt: before.granted_expires_at };
  return { plan: clinic.subscription_plan, expiresAt: clinic.subscription_expires_at };
}

type Shown = Pick<ClinicRow, 'subscription_plan' | 'subscription_expires_at'>;

const subscriptionOf = ({ subscription_plan, subscription_expires_at }: Shown) => ({ subscription_plan, subscription_expires_at });
const answer = ({ subscription_plan, subscription_expires_at }: Shown) => ({ plan: subscription_plan, expiresAt: toTimestamp(subscription_expires_at) });
