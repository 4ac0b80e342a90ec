// The clinic's settings: its own fields from here, those of the chat from messaging.
import { readTenant } from '@clinic/lib/db/db.ts';
import { found } from '@clinic/lib/errors/errors.ts';
import { callAs } from '@clinic/lib/rpc/context.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { GetSettingsRequest } from '@clinic/proto/identity/v1/settings_pb.js';
import type { App } from '../app.ts';
import { findSettingsStatement } from './clinic-settings.sql.ts';
import { withChannel } from './join-channel.ts';

export async function getSettings(app: App, _request: GetSettingsRequest, call: Call) {
  const { id } = clinicOf(call);
  const [channel, [clinic]] = await Promise.all([
    app.channels.getChannelSettings({}, callAs(call.caller)),
    readTenant(app.db, id, findSettingsStatement, [id]),
  ]);
  return withChannel(found(clinic, 'Clinic'), channel, app.publicUrl);
}
