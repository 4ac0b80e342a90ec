// Returns the chat settings of a clinic.
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { GetChannelSettingsRequest } from '@clinic/proto/messaging/v1/channel_pb.js';
import type { App } from '../app.ts';
import { findChannelOf } from './channels.sql.ts';
import { findNextChannelOf } from './next-channels.sql.ts';
import { toChannelSettings } from './to-channel-settings.ts';

export async function getChannelSettings(app: App, _request: GetChannelSettingsRequest, call: Call) {
  const { id } = clinicOf(call);
  const [channel, next] = await Promise.all([findChannelOf(app.db, id), findNextChannelOf(app.db, id)]);
  return toChannelSettings(app, channel, next);
}
