// The settings of a clinic. Those of the chat channel come from messaging.
import { callAs } from '@clinic/lib/rpc/context.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { GetSettingsRequest } from '@clinic/proto/identity/v1/settings_pb.js';
import type { App } from '../app.ts';
import { getSettings as findSettings, toSettings } from './clinic-settings.sql.ts';

export async function getSettings(app: App, _request: GetSettingsRequest, call: Call) {
  const { id } = clinicOf(call);
  const [channel, clinic] = await Promise.all([app.channels.getChannelSettings({}, callAs(call.caller)), findSettings(app.db, id)]);
  return toSettings(clinic, channel, app.publicUrl);
}
