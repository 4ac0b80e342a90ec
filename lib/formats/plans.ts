// The names of the plans and their storage. Identity's catalogue (services/identity/plans) defines what else each plan includes.
import { type Timestamp, timestampMs } from '@bufbuild/protobuf/wkt';

/** Plans that can be bought. */
export const PAID_PLANS = ['basic', 'pro', 'clinica'] as const;
export const PLANS = [...PAID_PLANS, 'trial', 'forever_free'] as const;

export type PaidPlan = (typeof PAID_PLANS)[number];
export type Plan = (typeof PLANS)[number];

const GB = 1_000_000_000;

/** The bytes of files that each plan includes. */
export const STORAGE_BYTES: Record<Plan, number> = { basic: GB, pro: 10 * GB, trial: 10 * GB, clinica: 100 * GB, forever_free: 100 * GB };

/** Whether the subscription of a clinic has expired: its plan is not forever_free, and its expiry has passed. */
export const hasExpired = (plan: string, expiresAt: Timestamp | undefined, now: Date): boolean =>
  plan !== 'forever_free' && expiresAt !== undefined && timestampMs(expiresAt) <= now.getTime();
