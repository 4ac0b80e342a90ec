// What a clinic gets that was granted one thing, by its invite code or an operator, and has paid for another. It depends on
// these two alone and not on what came in between, so late and repeated payments end the same.
import type { PaidPlan } from '@clinic/lib/formats/plans.ts';
import type { Subscription } from '../clinics/subscription-rules.ts';

export const PAID_STATUSES = ['provisional', 'active', 'past_due', 'paused', 'cancelled', 'ended'] as const;

export type Paid = { plan: PaidPlan; expiresAt: Date; status: (typeof PAID_STATUSES)[number] };

/** forever_free stays. An order never shortens a later expiry of its plan, and what still runs never ends what was granted. */
export function withPaid(granted: Subscription, paid: Paid, now: Date): Subscription {
  if (granted.plan === 'forever_free' || granted.expiresAt === null) return granted;
  const { plan, expiresAt, status } = paid;
  const runs = status !== 'cancelled' && status !== 'ended';
  if (runs && expiresAt <= now && granted.expiresAt > now) return granted;
  if (status === 'provisional' && granted.plan === plan && granted.expiresAt > expiresAt) return granted;
  return { plan, expiresAt };
}
