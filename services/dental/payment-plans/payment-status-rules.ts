// The status of a payment plan after a change, and as of a day.
import { type Instalment, nextDue } from './instalment-rules.ts';

export const PAYMENT_STATUSES = ['active', 'paid', 'overdue', 'cancelled'] as const;
export type PaymentStatus = (typeof PAYMENT_STATUSES)[number];
export const PAYMENT_METHODS = ['cash', 'transfer', 'card', 'other'] as const;

type PlanStatus = { status: PaymentStatus; next_due_date: string | null };
type Money = { status: PaymentStatus; total_cents: bigint; paid_cents: bigint };

/** The status as of a day: an active plan with an uncovered instalment past its due date is overdue. */
export function statusOn(today: string, { status, next_due_date }: PlanStatus): PaymentStatus {
  return status === 'active' && next_due_date !== null && next_due_date < today ? 'overdue' : status;
}

/** The status after a payment, void or change: cancelled plans stay cancelled; otherwise paid, overdue or active by the amount paid. */
export function statusAfterChange({ status, total_cents, paid_cents }: Money, instalments: readonly Instalment[], today: string): PlanStatus {
  const next_due_date = nextDue(instalments, paid_cents);
  if (status === 'cancelled') return { status, next_due_date };
  if (paid_cents >= total_cents) return { status: 'paid', next_due_date };
  return { status: statusOn(today, { status: 'active', next_due_date }), next_due_date };
}

/**
 * The status after a user has set it: it applies, whatever the amount paid, until the next payment, void or change. A plan set active
 * becomes overdue again only by an instalment that is due today or later.
 */
export function statusSetByUser(wanted: PaymentStatus, { paid_cents }: Money, instalments: readonly Instalment[], today: string): PlanStatus {
  return { status: wanted, next_due_date: nextDue(instalments, paid_cents, wanted === 'active' ? today : '') };
}
