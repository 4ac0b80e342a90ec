// The settings of a clinic, and its basic data without tokens. The fields of the chat channel come from messaging.
import { callAs } from '@clinic/lib/rpc/context.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { GetClinicInfoRequest, GetSettingsRequest } from '@clinic/proto/identity/v1/settings_pb.js';
import type { App } from '../app.ts';
import { getSettings as findSettings, toProfile, toSettings } from './clinic-settings.sql.ts';

export async function getSettings(app: App, _request: GetSettingsRequest, call: Call) {
  const [channel, clinic] = await getChannelAndSettings(app, call);
  return toSettings(clinic, channel, app.publicUrl);
}

export async function getClinicInfo(app: App, _request: GetClinicInfoRequest, call: Call) {
  const [{ chatPhoneNumberId, chatBusinessAccountId }, clinic] = await getChannelAndSettings(app, call);
  return { ...toProfile(clinic, app.publicUrl), chatPhoneNumberId, chatBusinessAccountId };
}

const getChannelAndSettings = (app: App, call: Call) =>
  Promise.all([app.channels.getChannelSettings({}, callAs(call.caller)), findSettings(app.db, clinicOf(call).id)]);
