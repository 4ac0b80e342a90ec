// Computes the subscription of a clinic from the subscription that its invite code or an operator granted, and the one that it has paid
// for. It depends on these two alone, so that late and repeated payments have the same result.
import type { PaidPlan } from '@clinic/lib/formats/plans.ts';
import type { Subscription } from '../clinics/subscription-rules.ts';

export const PAID_STATUSES = ['provisional', 'active', 'past_due', 'paused', 'cancelled', 'ended'] as const;

export type Paid = { plan: PaidPlan; expiresAt: Date; status: (typeof PAID_STATUSES)[number] };

/**
 * A granted forever_free remains. An order (provisional) never shortens a later expiry of the same plan. A payment that was neither cancelled
 * nor ended, but has expired, does not end a granted subscription that is still valid.
 */
export function computeSubscription(granted: Subscription, paid: Paid, now: Date): Subscription {
  if (granted.plan === 'forever_free' || granted.expiresAt === null) return granted;
  const { plan, expiresAt, status } = paid;
  const isRunning = status !== 'cancelled' && status !== 'ended';
  if (isRunning && expiresAt <= now && granted.expiresAt > now) return granted;
  if (status === 'provisional' && granted.plan === plan && granted.expiresAt > expiresAt) return granted;
  return { plan, expiresAt };
}

/** Whether the clinic pays; not after a failed payment, a pause, a cancellation, an end or a refund. */
export const isPayment = ({ status }: Paid): boolean => status === 'provisional' || status === 'active';

/** Whether a subscription does not end before another one. */
export const lastsAtLeast = (one: Subscription, other: Subscription): boolean =>
  one.expiresAt === null || (other.expiresAt !== null && one.expiresAt >= other.expiresAt);
