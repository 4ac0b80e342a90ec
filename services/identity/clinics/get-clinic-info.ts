// The clinic without its access tokens, for every user.
import { callAs } from '@clinic/lib/rpc/context.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { GetClinicInfoRequest } from '@clinic/proto/identity/v1/settings_pb.js';
import type { App } from '../app.ts';
import { getSettings, toProfile } from './clinic-settings.sql.ts';

export async function getClinicInfo(app: App, _request: GetClinicInfoRequest, call: Call) {
  const { id } = clinicOf(call);
  const [channel, clinic] = await Promise.all([app.channels.getChannelSettings({}, callAs(call.caller)), getSettings(app.db, id)]);
  const { chatPhoneNumberId, chatBusinessAccountId } = channel;
  return {
    ...toProfile(clinic, app.publicUrl),
    isActive: clinic.is_active,
    subscriptionPlan: clinic.subscription_plan,
    chatPhoneNumberId,
    chatBusinessAccountId,
  };
}
