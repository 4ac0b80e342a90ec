// The signed-in user with the clinic and what its subscription allows.
import { found } from '@clinic/lib/errors/errors.ts';
import { toTimestamp } from '@clinic/lib/formats/timestamp.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { GetMeRequest } from '@clinic/proto/identity/v1/session_pb.js';
import { findAccount, toClinic, toUser } from '../access/accounts.sql.ts';
import type { App } from '../app.ts';
import { listShownNotices, toProto } from '../operations/operator-notices.sql.ts';
import { featureFlags, limitsOf } from '../plans/plans-rules.ts';

export async function getMe(app: App, _request: GetMeRequest, call: Call) {
  const { id } = clinicOf(call);
  const [user, notices] = await Promise.all([findAccount(app.db, id, call.caller.id), listShownNotices(app.db, app.clock.now())]);
  const account = found(user, 'User');
  return {
    user: toUser(account),
    clinic: toClinic(account),
    subscription: {
      plan: account.subscription_plan,
      expiresAt: toTimestamp(account.subscription_expires_at),
      features: featureFlags(account),
      limits: limitsOf(account.subscription_plan),
    },
    notices: notices.map(toProto),
  };
}
