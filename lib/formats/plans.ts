// The names of the plans. Identity's catalogue defines what each plan includes (services/identity/plans).

/** Plans that can be bought. */
export const PAID_PLANS = ['basic', 'pro', 'clinica'] as const;
export const PLANS = [...PAID_PLANS, 'trial', 'forever_free'] as const;

export type PaidPlan = (typeof PAID_PLANS)[number];
export type Plan = (typeof PLANS)[number];
