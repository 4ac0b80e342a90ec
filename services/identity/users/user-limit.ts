// The plan's limit of users, and the admin that every clinic keeps: both are counted under the lock of the clinic's row, so
// that rivals wait for each other. What cannot be counted is refused.
import type { TenantTx } from '@clinic/lib/db/db.ts';
import { fail, ServiceError } from '@clinic/lib/errors/errors.ts';
import { lockClinicTerms } from '../clinics/clinics.sql.ts';
import { termsOf } from '../plans/plans-rules.ts';
import { countOthers } from './users.sql.ts';

export type Others = { users: number; admins: number; limit: number | undefined };

/** The clinic's other active users and its plan's limit, locked. Throws LIMIT_CHECK_UNAVAILABLE when they cannot be counted. */
export async function othersLocked(tx: TenantTx, userId: string): Promise<Others> {
  try {
    const plan = await lockClinicTerms(tx);
    return { ...(await countOthers(tx, userId)), limit: plan && termsOf(plan).users };
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    return fail('LIMIT_CHECK_UNAVAILABLE');
  }
}

/** One more that counts: USER_LIMIT_REACHED when there are as many as the plan allows. */
export function keepUserLimit({ users, limit }: Others): void {
  if (limit !== undefined && users >= limit) fail('USER_LIMIT_REACHED');
}
