// The limits of the clinic, how much of them is used, and its features. Scheduling counts the doctors and the bytes of files.
import { toTimestamp } from '@clinic/lib/formats/timestamp.ts';
import { callAs } from '@clinic/lib/rpc/context.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { GetEntitlementsRequest } from '@clinic/proto/identity/v1/entitlement_pb.js';
import type { App } from '../app.ts';
import { getSettings } from '../clinics/clinic-settings.sql.ts';
import { featureFlags, guardFlags, limitsOf } from '../plans/plans-rules.ts';
import { countLimitedUsers } from '../users/users.sql.ts';
import { daysLeft } from './expiry-rules.ts';

export async function getEntitlements(app: App, _request: GetEntitlementsRequest, call: Call) {
  const { id } = clinicOf(call);
  const [doctors, storage, clinic, users] = await Promise.all([
    app.doctors.listDoctors({ page: 1, limit: 1 }, callAs(call.caller)),
    app.files.getStorageUsage({}, callAs(call.caller)),
    getSettings(app.db, id),
    countLimitedUsers(app.db, id),
  ]);
  const { subscription_plan, subscription_expires_at } = clinic;
  return {
    plan: subscription_plan,
    expiresAt: toTimestamp(subscription_expires_at),
    daysLeft: daysLeft(subscription_expires_at, app.clock.now()),
    limits: limitsOf(subscription_plan),
    usage: { doctors: doctors.total, users, storageBytes: storage.bytes },
    features: featureFlags(clinic),
    guards: guardFlags(clinic.switched_off),
  };
}
