// How much of a payment a doctor earns.

export const RULE_TYPES = ['percentage', 'fixed'] as const;
export type RuleType = (typeof RULE_TYPES)[number];

/** `value` in hundredths of a percent, or in cents. */
export type CommissionRule = { type: RuleType; value: bigint };

const WHOLE = 10_000n;

/** The commission in cents, rounded half up, and at most the payment. */
export function commissionOf(paymentCents: bigint, { type, value }: CommissionRule): bigint {
  const amount = type === 'percentage' ? (paymentCents * value + WHOLE / 2n) / WHOLE : value;
  return amount < paymentCents ? amount : paymentCents;
}
