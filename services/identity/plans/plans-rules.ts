// The plan catalogue: the one place that says what a plan allows (specification, "Plan limits").

export const PLANS = ['basic', 'pro', 'clinica', 'trial', 'forever_free'] as const;
export type Plan = (typeof PLANS)[number];

const BASIC = ['chat_bot', 'calendar_feeds', 'reminders'] as const;
const PRO = [...BASIC, 'analytics', 'csv_export', 'csv_import', 'daily_agenda', 'assistant', 'dte', 'dental'] as const;
const CLINICA = [...PRO, 'quick_switching'] as const;

export type Feature = (typeof CLINICA)[number];
/** Every feature that there is. */
export const FEATURES: readonly Feature[] = CLINICA;

type Terms = {
  features: readonly Feature[];
  /** Active doctors; absent means unlimited. */
  doctors?: number;
  /** Active users besides the one who registered the clinic; absent means unlimited. */
  users?: number;
};

const TERMS: Record<Plan, Terms> = {
  basic: { features: BASIC, doctors: 2, users: 1 },
  pro: { features: PRO, doctors: 8, users: 1 },
  clinica: { features: CLINICA },
  trial: { features: PRO, doctors: 8, users: 1 },
  forever_free: { features: CLINICA },
};

export function isPlan(text: string): text is Plan {
  return (PLANS as readonly string[]).includes(text);
}

export function termsOf(plan: Plan): Terms {
  return TERMS[plan];
}

/** What the plan allows and the clinic has not switched off. A toggle never adds a feature. */
export function featuresOf(plan: Plan, switchedOff: readonly string[]): Feature[] {
  return TERMS[plan].features.filter((feature) => !switchedOff.includes(feature));
}

/** Features that a toggle wants on though the plan does not include them; the names must be known. */
export function beyondPlan(plan: Plan, wanted: Record<string, boolean>): string[] {
  const included: readonly string[] = TERMS[plan].features;
  return Object.keys(wanted).filter((feature) => wanted[feature] && !included.includes(feature));
}
