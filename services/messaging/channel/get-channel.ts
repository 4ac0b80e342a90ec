// Returns the chat settings of a clinic, and the status of its chat number as a code and as a sentence.
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { GetChannelSettingsRequest, GetChannelStatusRequest } from '@clinic/proto/messaging/v1/channel_pb.js';
import type { App } from '../app.ts';
import { findChannelOf } from './channels.sql.ts';
import { findNextChannelOf } from './next-channels.sql.ts';
import { toChannelSettings } from './to-channel-settings.ts';

const findBoth = ({ db }: App, { id }: { id: string }) => Promise.all([findChannelOf(db, id), findNextChannelOf(db, id)]);

export async function getChannelSettings(app: App, _request: GetChannelSettingsRequest, call: Call) {
  return toChannelSettings(app, ...(await findBoth(app, clinicOf(call))));
}

/** While another number is being connected, the status is that of the new one. */
export async function getChannelStatus(app: App, _request: GetChannelStatusRequest, call: Call) {
  const [channel, next] = await findBoth(app, clinicOf(call));
  if (!channel || channel.status === 'disconnected') return { status: 'disconnected', number: '', detail: 'No chat number is connected' };
  const { status, display_number: number, detail } = channel;
  return next ? { status: next.status, number, detail: `${detail}. New number ${next.display_number}: ${next.detail}` } : { status, number, detail };
}
