// The chat fields of the clinic's settings.
import { readTenant } from '@clinic/lib/db/db.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { GetChannelSettingsRequest } from '@clinic/proto/messaging/v1/channel_pb.js';
import type { App } from '../app.ts';
import { findChannelStatement } from './channels.sql.ts';
import { shownSettings } from './shown-settings.ts';

export async function getChannelSettings(app: App, _request: GetChannelSettingsRequest, call: Call) {
  const { id } = clinicOf(call);
  const [channel] = await readTenant(app.db, id, findChannelStatement, [id]);
  return shownSettings(app, channel);
}
