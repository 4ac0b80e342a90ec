// The plan catalogue: what each plan allows (specification, "Plan limits").
import { type Plan, STORAGE_BYTES } from '@clinic/lib/formats/plans.ts';

const BASIC = ['chat_bot', 'calendar_feeds', 'reminders', 'online_booking'] as const;
const PRO = [...BASIC, 'analytics', 'csv_export', 'csv_import', 'daily_agenda', 'assistant', 'dte', 'dental', 'webhooks'] as const;
const CLINICA = [...PRO, 'quick_switching'] as const;

type Feature = (typeof CLINICA)[number];
export const FEATURES: readonly Feature[] = CLINICA;

/** Guards: restrictions that a clinic may switch on. feature_toggles stores each as a permission of the staff that is switched off. */
const PERMISSIONS = {
  voids_need_admin: 'voids_by_staff',
  exports_need_admin: 'exports_by_staff',
  staff_creation_needs_admin: 'staff_creation_by_staff',
  revenue_hidden_from_receptionists: 'revenue_for_receptionists',
} as const;
type Guard = keyof typeof PERMISSIONS;
export const GUARDS = Object.keys(PERMISSIONS) as Guard[];

/** The guards that are on. */
export const guardsOf = (switchedOff: readonly string[]): Guard[] => GUARDS.filter((guard) => switchedOff.includes(PERMISSIONS[guard]));

/** The guards as feature_toggles stores them, by permission. All names must be in GUARDS. */
export const toPermissions = (guards: Record<string, boolean>): Record<string, boolean> =>
  Object.fromEntries(Object.entries(guards).map(([guard, on]) => [PERMISSIONS[guard as Guard], !on]));

/** Whether each guard is on, by name. */
export function guardFlags(switchedOff: readonly string[]): Record<string, boolean> {
  const on = guardsOf(switchedOff);
  return Object.fromEntries(GUARDS.map((guard) => [guard, on.includes(guard)]));
}

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

/** The limits of a plan in the form of a response. */
export const limitsOf = (plan: Plan) => ({ doctors: TERMS[plan].doctors, users: TERMS[plan].users, storageBytes: BigInt(STORAGE_BYTES[plan]) });

export const termsOf = (plan: Plan) => TERMS[plan];

/** The features that the plan includes and the clinic has not switched off. A toggle never adds a feature. */
export const featuresOf = (plan: Plan, switchedOff: readonly string[]) => TERMS[plan].features.filter((feature) => !switchedOff.includes(feature));

/** The features that the request switches on although the plan does not include them. All names must be in FEATURES. */
export function beyondPlan(plan: Plan, wanted: Record<string, boolean>): string[] {
  const included: readonly string[] = TERMS[plan].features;
  return Object.keys(wanted).filter((feature) => wanted[feature] && !included.includes(feature));
}

type Subscriber = { subscription_plan: Plan; clinic_type: string; switched_off: readonly string[] };

/** Whether each feature is on, by name; dental only for dental clinics. */
export function featureFlags({ subscription_plan, clinic_type, switched_off }: Subscriber): Record<string, boolean> {
  const on = new Set(featuresOf(subscription_plan, switched_off));
  return Object.fromEntries(FEATURES.map((feature) => [feature, on.has(feature) && (feature !== 'dental' || clinic_type === 'dental')]));
}

export function toFeatures(clinic: Subscriber) {
  return {
    plan: clinic.subscription_plan,
    features: featureFlags(clinic),
    included: featureFlags({ ...clinic, switched_off: [] }),
    guards: guardFlags(clinic.switched_off),
  };
}
