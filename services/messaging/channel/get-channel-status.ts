// Returns the status of a clinic's chat number, as a code and as a sentence.
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { GetChannelStatusRequest } from '@clinic/proto/messaging/v1/channel_pb.js';
import type { App } from '../app.ts';
import { findChannelOf } from './channels.sql.ts';

export async function getChannelStatus(app: App, _request: GetChannelStatusRequest, call: Call) {
  const { id } = clinicOf(call);
  const channel = await findChannelOf(app.db, id);
  if (!channel || channel.status === 'disconnected') return { status: 'disconnected', number: '', detail: 'No chat number is connected' };
  return { status: channel.status, number: channel.display_number, detail: channel.detail };
}
