// How a change by an operator affects the subscription of a clinic.
import type { Plan } from '@clinic/lib/formats/plans.ts';

export type Subscription = { plan: Plan; expiresAt: Date | null };
type Change = { plan?: Plan | undefined; expiresInDays?: number | undefined };

const DAY_MS = 24 * 3_600_000;
/** Used when a plan is set for a clinic that is on forever_free or expired, and the request has no number of days. */
const DEFAULT_DAYS = 30;

/** forever_free has no expiry. Days count from `now`; 0 expires the subscription at once. Without days the expiry of a current subscription does not change. */
export function changeSubscription(current: Subscription, change: Change, now: Date): Subscription {
  const plan = change.plan ?? current.plan;
  if (plan === 'forever_free') return { plan, expiresAt: null };
  const isCurrent = current.expiresAt !== null && (current.expiresAt > now || change.plan === undefined);
  const days = change.expiresInDays ?? (isCurrent ? undefined : DEFAULT_DAYS);
  return { plan, expiresAt: days === undefined ? current.expiresAt : new Date(now.getTime() + days * DAY_MS) };
}
