// The features of a clinic as its people see them.
import { FEATURES, featuresOf, type Plan } from './plans-rules.ts';

/** Each feature with whether it is on. */
export function featureFlags(plan: Plan, switchedOff: readonly string[]): Record<string, boolean> {
  const on = new Set(featuresOf(plan, switchedOff));
  return Object.fromEntries(FEATURES.map((feature) => [feature, on.has(feature)]));
}

export function showFeatures({ subscription_plan, switched_off }: { subscription_plan: Plan; switched_off: string[] }) {
  return { plan: subscription_plan, features: featureFlags(subscription_plan, switched_off), included: featureFlags(subscription_plan, []) };
}
