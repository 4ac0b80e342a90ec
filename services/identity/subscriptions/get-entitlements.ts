// What the clinic may use and how much of it is used. Doctors are counted where they live.
import { readTenant } from '@clinic/lib/db/db.ts';
import { found } from '@clinic/lib/errors/errors.ts';
import { callAs } from '@clinic/lib/rpc/context.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { GetEntitlementsRequest } from '@clinic/proto/identity/v1/entitlement_pb.js';
import type { App } from '../app.ts';
import { findSettingsStatement } from '../clinics/clinic-settings.sql.ts';
import { toTimestamp } from '../clinics/clinics.sql.ts';
import { termsOf } from '../plans/plans-rules.ts';
import { featureFlags } from '../plans/show-features.ts';
import { countLimitedStatement } from '../users/users.sql.ts';
import { daysLeft } from './days-left-rules.ts';

export async function getEntitlements(app: App, _request: GetEntitlementsRequest, call: Call) {
  const { id } = clinicOf(call);
  const [doctors, [row], [counted]] = await Promise.all([
    app.doctors.listDoctors({ page: 1, limit: 1 }, callAs(call.caller)),
    readTenant(app.db, id, findSettingsStatement, [id]),
    readTenant(app.db, id, countLimitedStatement, [id]),
  ]);
  const { subscription_plan, subscription_expires_at, switched_off } = found(row, 'Clinic');
  const limits = termsOf(subscription_plan);
  return {
    plan: subscription_plan,
    expiresAt: toTimestamp(subscription_expires_at),
    daysLeft: daysLeft(subscription_expires_at, app.clock.now()),
    limits: { doctors: limits.doctors, users: limits.users },
    usage: { doctors: doctors.total, users: counted?.users ?? 0 },
    features: featureFlags(subscription_plan, switched_off),
  };
}
