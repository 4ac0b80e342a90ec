// Enforces the user limit of the plan and that a clinic has an admin. Users are counted while the clinic's row is locked, so that concurrent
// changes wait.
import type { TenantTx } from '@clinic/lib/db/db.ts';
import { fail, ServiceError } from '@clinic/lib/errors/errors.ts';
import { lockPlan } from '../clinics/clinics.sql.ts';
import { termsOf } from '../plans/plans-rules.ts';
import { countOthers } from './users.sql.ts';

export type Others = { users: number; admins: number; limit: number | undefined };

/** Locks the clinic and counts its other active users. Throws LIMIT_CHECK_UNAVAILABLE if they cannot be counted. */
export async function lockOthers(tx: TenantTx, userId: string): Promise<Others> {
  try {
    const plan = await lockPlan(tx);
    return { ...(await countOthers(tx, userId)), limit: plan && termsOf(plan).users };
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    return fail('LIMIT_CHECK_UNAVAILABLE');
  }
}

/** Throws USER_LIMIT_REACHED if no other user may be added. */
export function requireUserLimit({ users, limit }: Others): void {
  if (limit !== undefined && users >= limit) fail('USER_LIMIT_REACHED');
}
