// The limits and features of the clinic and the usage of the limits. Scheduling counts the doctors.
import { callAs } from '@clinic/lib/rpc/context.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { GetEntitlementsRequest } from '@clinic/proto/identity/v1/entitlement_pb.js';
import type { App } from '../app.ts';
import { getSettings } from '../clinics/clinic-settings.sql.ts';
import { toTimestamp } from '../clinics/clinics.sql.ts';
import { featureFlags, guardFlags, termsOf } from '../plans/plans-rules.ts';
import { countLimitedUsers } from '../users/users.sql.ts';
import { daysLeft } from './expiry-rules.ts';

export async function getEntitlements(app: App, _request: GetEntitlementsRequest, call: Call) {
  const { id } = clinicOf(call);
  const [doctors, clinic, users] = await Promise.all([
    app.doctors.listDoctors({ page: 1, limit: 1 }, callAs(call.caller)),
    getSettings(app.db, id),
    countLimitedUsers(app.db, id),
  ]);
  const { subscription_plan, subscription_expires_at } = clinic;
  const limits = termsOf(subscription_plan);
  return {
    plan: subscription_plan,
    expiresAt: toTimestamp(subscription_expires_at),
    daysLeft: daysLeft(subscription_expires_at, app.clock.now()),
    limits: { doctors: limits.doctors, users: limits.users },
    usage: { doctors: doctors.total, users },
    features: featureFlags(clinic),
    guards: guardFlags(clinic.switched_off),
  };
}
