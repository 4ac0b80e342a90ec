// The names of the plans. Identity's catalogue defines what each plan includes (services/identity/plans).

/** Plans that can be bought. */
export const PAID_PLANS = ['basic', 'pro', 'clinica'] as const;
export const PLANS = [...PAID_PLANS, 'trial', 'forever_free'] as const;

export type PaidPlan = (typeof PAID_PLANS)[number];
export type Plan = (typeof PLANS)[number];

const GB = 1_000_000_000;

/** The bytes of files that each plan includes. */
export const STORAGE_BYTES: Record<Plan, number> = { basic: GB, pro: 10 * GB, trial: 10 * GB, clinica: 100 * GB, forever_free: 100 * GB };
