// The user who subscribes to a regular mail, and that user again when a mail is sent, with the current plan and rights.
import { fail } from '@clinic/lib/errors/errors.ts';
import { hasExpired } from '@clinic/lib/formats/plans.ts';
import { serviceCaller } from '@clinic/lib/rpc/caller.ts';
import { callAs } from '@clinic/lib/rpc/context.ts';
import type { Call } from '@clinic/lib/rpc/pipeline.ts';
import { ifFound } from '@clinic/lib/rpc/reasons.ts';
import type { App } from '../app.ts';

/** The calling user; services cannot subscribe. */
export const userOf = ({ caller }: Call) => (caller.kind === 'user' ? caller.id : fail('FORBIDDEN'));

type Subscriber = { clinicId: string; userId: string; feature: string };

/**
 * Undefined when the clinic is suspended, expired or without the feature, or when the user is not active. `guards` are those that the clinic has
 * switched on.
 */
export async function findRecipient(app: App, { clinicId, userId, feature }: Subscriber, requestId: string) {
  const own = serviceCaller('scheduling', requestId);
  const { plan, timezone, country, isActive, features, guards, subscriptionExpiresAt } = await app.access.resolveClinic({ clinicId }, callAs(own));
  if (!isActive || hasExpired(plan, subscriptionExpiresAt, app.clock.now()) || !features.includes(feature)) return undefined;
  const clinic = { id: clinicId, plan, timezone, country };
  const caller = { ...own, clinic };
  const user = await ifFound(app.users.getUser({ id: userId }, callAs(caller)));
  return user?.isActive ? { user, clinic, caller, guards } : undefined;
}
