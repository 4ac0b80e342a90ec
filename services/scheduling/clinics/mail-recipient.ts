// The user who subscribes to a regular mail, and that user again when a mail is sent, with the current plan and rights.
import { timestampMs } from '@bufbuild/protobuf/wkt';
import { fail } from '@clinic/lib/errors/errors.ts';
import { type Caller, serviceCaller } from '@clinic/lib/rpc/caller.ts';
import { callAs } from '@clinic/lib/rpc/context.ts';
import type { Call } from '@clinic/lib/rpc/pipeline.ts';
import type { User } from '@clinic/proto/identity/v1/user_pb.js';
import type { App } from '../app.ts';

const PAGE = 500;

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
  const expired = plan !== 'forever_free' && subscriptionExpiresAt !== undefined && timestampMs(subscriptionExpiresAt) <= app.clock.now().getTime();
  if (!isActive || expired || !features.includes(feature)) return undefined;
  const clinic = { id: clinicId, plan, timezone, country };
  const caller = { ...own, clinic };
  const user = await findUser(app, caller, userId);
  return user?.isActive ? { user, clinic, caller, guards } : undefined;
}

async function findUser(app: App, caller: Caller, id: string): Promise<User | undefined> {
  for (let page = 1; ; page++) {
    const { users, total } = await app.users.listUsers({ page, limit: PAGE }, callAs(caller));
    const user = users.find((one) => one.id === id);
    if (user || page * PAGE >= total) return user;
  }
}
