// What a payment plan's status is, after whatever happened to it and on each day that passes.
import { type Instalment, nextDue } from './instalment-rules.ts';

export const PAYMENT_STATUSES = ['active', 'paid', 'overdue', 'cancelled'] as const;
export type PaymentStatus = (typeof PAYMENT_STATUSES)[number];
export const PAYMENT_METHODS = ['cash', 'transfer', 'card', 'other'] as const;

type PlanStatus = { status: PaymentStatus; next_due_date: string | null };
type Money = { status: PaymentStatus; total_cents: bigint; paid_cents: bigint };

/** The status as of a day: an instalment day that has passed unpaid makes an active plan overdue. */
export function statusOn(today: string, { status, next_due_date }: PlanStatus): PaymentStatus {
  return status === 'active' && next_due_date !== null && next_due_date < today ? 'overdue' : status;
}

/** After a payment, a void or a change: cancelled stays cancelled, paid when all is paid, overdue when late, else active. */
export function statusAfterChange({ status, total_cents, paid_cents }: Money, instalments: readonly Instalment[], today: string): PlanStatus {
  const next_due_date = nextDue(instalments, paid_cents);
  if (status === 'cancelled') return { status, next_due_date };
  if (paid_cents >= total_cents) return { status: 'paid', next_due_date };
  return { status: statusOn(today, { status: 'active', next_due_date }), next_due_date };
}

/**
 * After somebody has set the status by hand: it is that one, whatever the money says, until the next payment, void or
 * change. A plan set active is late again only with an instalment that falls due from today on.
 */
export function statusSetByUser(wanted: PaymentStatus, { paid_cents }: Money, instalments: readonly Instalment[], today: string): PlanStatus {
  return { status: wanted, next_due_date: nextDue(instalments, paid_cents, wanted === 'active' ? today : '') };
}
