// The live state of user and clinic. Every protected request waits for this one: a single statement, a single round trip.
import { checkUuid } from '@clinic/lib/check.ts';
import { readTenant } from '@clinic/lib/db.ts';
import { found } from '@clinic/lib/errors.ts';
import type { ResolveAccessRequest } from '@clinic/proto/identity/v1/access_pb.js';
import type { App } from '../app.ts';
import { featuresOf, termsOf } from '../rules/plans.ts';
import { findAccessStatement, toTimestamp } from '../sql/accounts.ts';

export async function resolveAccess(app: App, request: ResolveAccessRequest) {
  const clinicId = checkUuid('clinicId', request.clinicId);
  const userId = checkUuid('userId', request.userId);
  const sessionId = request.sessionId === '' ? null : checkUuid('sessionId', request.sessionId);
  const account = found((await readTenant(app.db, clinicId, findAccessStatement, [clinicId, userId, sessionId]))[0], 'User');
  return {
    userActive: account.user_active,
    appRole: account.app_role,
    clinicActive: account.clinic_active,
    plan: account.subscription_plan,
    subscriptionExpiresAt: toTimestamp(account.subscription_expires_at),
    clinicType: account.clinic_type,
    timezone: account.timezone,
    country: account.country,
    features: featuresOf(account.subscription_plan, account.switched_off),
    doctorLimit: termsOf(account.subscription_plan).doctors,
    sessionEnded: account.session_ended,
  };
}
