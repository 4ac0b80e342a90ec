// Which doctor earns a commission for a payment, and how much.

export const RULE_TYPES = ['percentage', 'fixed'] as const;
export type RuleType = (typeof RULE_TYPES)[number];

/** `value` in hundredths of a percent, or in cents. */
export type CommissionRule = { type: RuleType; value: bigint };

/** The statuses of appointments that earn a commission, as SQL. */
export const EARNING = "('confirmed', 'pending', 'completed')";

export type EarningAppointment = { id: string; doctor_id: string; starts_at: Date };

/** The appointment to which a payment is attributed: the latest one up to the payment, or else the first one after it. */
export function appointmentNear(appointments: EarningAppointment[], paidAt: Date): EarningAppointment | undefined {
  const distance = ({ starts_at }: EarningAppointment) => Math.abs(starts_at.getTime() - paidAt.getTime());
  const before = ({ starts_at }: EarningAppointment) => (starts_at <= paidAt ? 0 : 1);
  return appointments.toSorted((a, b) => before(a) - before(b) || distance(a) - distance(b) || (a.id < b.id ? -1 : 1))[0];
}

const WHOLE = 10_000n;

/** The commission in cents, rounded half up, and at most the payment. */
export function commissionOf(paymentCents: bigint, { type, value }: CommissionRule): bigint {
  const amount = type === 'percentage' ? (paymentCents * value + WHOLE / 2n) / WHOLE : value;
  return amount < paymentCents ? amount : paymentCents;
}
