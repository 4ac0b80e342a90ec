// The result of the access check.
import type { MessageInitShape } from '@bufbuild/protobuf';
import { toTimestamp } from '@clinic/lib/formats/timestamp.ts';
import type { AccessStateSchema } from '@clinic/proto/identity/v1/access_pb.js';
import { featuresOf, guardsOf, termsOf } from '../plans/plans-rules.ts';
import type { AccessRow } from './accounts.sql.ts';

export function toAccessState(account: Omit<AccessRow, 'user_id' | 'email' | 'full_name'>): MessageInitShape<typeof AccessStateSchema> {
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
    switchedOff: featuresOf(account.subscription_plan, []).filter((feature) => account.switched_off.includes(feature)),
    sessionEnded: account.session_ended,
    mfaMissing: account.mfa_missing,
    guards: guardsOf(account.switched_off),
  };
}
