// The subscription of a clinic, from what it was granted by its invite code or an operator, and from what it has paid for. It depends on
// these two alone, so that late and repeated payments have the same result.
import type { PaidPlan } from '@clinic/lib/formats/plans.ts';
import type { Subscription } from '../clinics/subscription-rules.ts';

export const PAID_STATUSES = ['provisional', 'active', 'past_due', 'paused', 'cancelled', 'ended'] as const;

export type Paid = { plan: PaidPlan; expiresAt: Date; status: (typeof PAID_STATUSES)[number] };

/** forever_free remains. An order never shortens a later expiry of its plan. A running payment never ends what was granted. */
export function withPaid(granted: Subscription, paid: Paid, now: Date): Subscription {
  if (granted.plan === 'forever_free' || granted.expiresAt === null) return granted;
  const { plan, expiresAt, status } = paid;
  const isRunning = status !== 'cancelled' && status !== 'ended';
  if (isRunning && expiresAt <= now && granted.expiresAt > now) return granted;
  if (status === 'provisional' && granted.plan === plan && granted.expiresAt > expiresAt) return granted;
  return { plan, expiresAt };
}
