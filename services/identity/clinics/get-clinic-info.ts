// The clinic without any token, for every user.
import { readTenant } from '@clinic/lib/db/db.ts';
import { found } from '@clinic/lib/errors/errors.ts';
import { callAs } from '@clinic/lib/rpc/context.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { GetClinicInfoRequest } from '@clinic/proto/identity/v1/settings_pb.js';
import type { App } from '../app.ts';
import { findSettingsStatement, toCard } from './clinic-settings.sql.ts';

export async function getClinicInfo(app: App, _request: GetClinicInfoRequest, call: Call) {
  const { id } = clinicOf(call);
  const [channel, [row]] = await Promise.all([app.channels.getChannelSettings({}, callAs(call.caller)), readTenant(app.db, id, findSettingsStatement, [id])]);
  const clinic = found(row, 'Clinic');
  const { chatPhoneNumberId, chatBusinessAccountId } = channel;
  return { ...toCard(clinic, app.publicUrl), isActive: clinic.is_active, subscriptionPlan: clinic.subscription_plan, chatPhoneNumberId, chatBusinessAccountId };
}
