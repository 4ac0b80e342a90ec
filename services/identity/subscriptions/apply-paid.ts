// Applies the subscription that a clinic has paid for. Billing sends it by an RPC, which takes effect at once, and by the event
// SubscriptionChanged, in case the RPC is lost. A revision that is not higher than the applied one changes nothing. What an operator has
// changed since remains until the next payment; an event that is replayed does not shorten it.
import { type Timestamp, timestampDate } from '@bufbuild/protobuf/wkt';
import { audit, maskChanges } from '@clinic/lib/audit/audit.ts';
import type { Tx } from '@clinic/lib/db/db.ts';
import { parseOneOf } from '@clinic/lib/formats/numbers.ts';
import { PAID_PLANS } from '@clinic/lib/formats/plans.ts';
import type { Caller } from '@clinic/lib/rpc/caller.ts';
import { type ClinicRow, lockClinic, updateClinic } from '../clinics/clinics.sql.ts';
import { publishClinicUpdated } from '../clinics/publish-clinic-updated.ts';
import type { Subscription } from '../clinics/subscription-rules.ts';
import { type AppliedRow, findApplied, putApplied } from './applied-subscriptions.sql.ts';
import { computeSubscription, isPayment, lastsAtLeast, PAID_STATUSES, type Paid } from './paid-subscription-rules.ts';

type PaidSubscription = Paid & {
  /** Increases with each change of the paid subscription. */
  revision: number;
  /** The payment event that caused the change. Its id is a UUIDv7, so ids increase with the arrival of events. */
  sourceEventId: string;
};

/** Parses what billing sends. */
export const parsePaid = (sent: { plan: string; status: string; revision: number }, expiresAt: Timestamp, sourceEventId: string): PaidSubscription => ({
  plan: parseOneOf('plan', sent.plan, PAID_PLANS),
  expiresAt: timestampDate(expiresAt),
  status: parseOneOf('status', sent.status, PAID_STATUSES),
  revision: sent.revision,
  sourceEventId,
});

/** The clinic afterwards; undefined if there is no such clinic. */
export async function applyPaidSubscription(tx: Tx, clinicId: string, paid: PaidSubscription, caller: Caller, now: Date): Promise<ClinicRow | undefined> {
  const clinic = await lockClinic(tx, clinicId);
  if (!clinic) return undefined;
  const applied = await findApplied(tx, clinicId);
  if (applied && applied.revision >= paid.revision) return clinic;
  const granted = grantedTo(clinic, applied);
  const computed = computeSubscription(granted, paid, now);
  const { revision, sourceEventId: source_event_id } = paid;
  const isRetained = (before: AppliedRow) => (isReplay(before, paid) ? lastsAtLeast(granted, computed) : !isPayment(paid) && !hasPaidExpiry(before, clinic));
  if (applied && !isUnchanged(applied, clinic) && isRetained(applied)) {
    await putApplied(tx, clinicId, { ...applied, revision, source_event_id }, now);
    return clinic;
  }
  const { plan, expiresAt } = computed;
  const renewing_revision = paid.status === 'active' && computed !== granted ? revision : null;
  const grantedColumns = { granted_plan: granted.plan, granted_expires_at: granted.expiresAt };
  await putApplied(tx, clinicId, { revision, renewing_revision, plan, expires_at: expiresAt, ...grantedColumns, source_event_id }, now);
  const state = { ...clinic, subscription_plan: plan, subscription_expires_at: expiresAt };
  const changes = maskChanges(clinic, state, []);
  if (Object.keys(changes).length === 0) return clinic;
  const changed = await updateClinic(tx, clinicId, state, now);
  await publishClinicUpdated(tx, clinicId);
  await audit(tx, clinicId, caller, { action: 'clinic.updated', entityId: clinicId, changes });
  return changed;
}

/** The subscription that the clinic was granted without paying: its current subscription, if an operator has changed it since the last payment. */
function grantedTo(clinic: ClinicRow, applied: AppliedRow | undefined): Subscription {
  if (applied && isUnchanged(applied, clinic)) return { plan: applied.granted_plan, expiresAt: applied.granted_expires_at };
  return { plan: clinic.subscription_plan, expiresAt: clinic.subscription_expires_at };
}

/** Whether the clinic has the subscription that was applied last. If not, an operator has changed it since. */
const isUnchanged = (applied: AppliedRow, clinic: ClinicRow): boolean => applied.plan === clinic.subscription_plan && hasPaidExpiry(applied, clinic);

/** Whether the expiry is the one that was paid for: an operator may have changed the plan alone. */
const hasPaidExpiry = (applied: AppliedRow, clinic: ClinicRow): boolean => applied.expires_at?.getTime() === clinic.subscription_expires_at?.getTime();

const isReplay = (applied: AppliedRow, { sourceEventId }: PaidSubscription): boolean => sourceEventId <= applied.source_event_id;
