// Returns the status of a clinic's chat number, as a code and as a sentence. While another number is being connected, the status is that of
// the new one.
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { GetChannelStatusRequest } from '@clinic/proto/messaging/v1/channel_pb.js';
import type { App } from '../app.ts';
import { findChannelOf } from './channels.sql.ts';
import { findNextChannelOf } from './next-channels.sql.ts';

export async function getChannelStatus(app: App, _request: GetChannelStatusRequest, call: Call) {
  const { id } = clinicOf(call);
  const [channel, next] = await Promise.all([findChannelOf(app.db, id), findNextChannelOf(app.db, id)]);
  if (!channel || channel.status === 'disconnected') return { status: 'disconnected', number: '', detail: 'No chat number is connected' };
  const { status, display_number: number, detail } = channel;
  return next ? { status: next.status, number, detail: `${detail}. New number ${next.display_number}: ${next.detail}` } : { status, number, detail };
}
