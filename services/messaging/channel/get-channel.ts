// Returns the chat settings of a clinic, and the status of its chat number as a code and as a sentence.
import type { MessageInitShape } from '@bufbuild/protobuf';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { ChannelSettingsSchema, GetChannelSettingsRequest, GetChannelStatusRequest } from '@clinic/proto/messaging/v1/channel_pb.js';
import type { App } from '../app.ts';
import { decryptChannelSecret } from './channel-secrets.ts';
import { type Binding, type ChannelRow, findChannelOf } from './channels.sql.ts';
import { findNextChannelOf } from './next-channels.sql.ts';

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

/** Marks the hidden rest of a token. A token that contains it is a masked one and is not saved. */
export const MASK = '****';

/** The settings as admins see them, with only the beginning of the access token. `next`: the number that is being connected instead, whose status is shown. */
export function toChannelSettings(app: App, channel: ChannelRow | undefined, next: Binding | undefined): MessageInitShape<typeof ChannelSettingsSchema> {
  const token = decryptChannelSecret(app.keys, channel, 'access_token');
  return {
    chatPhoneNumberId: channel?.phone_number_id ?? undefined,
    chatBusinessAccountId: channel?.waba_id ?? undefined,
    chatAccessToken: token && `${token.slice(0, 8)}${MASK}`,
    chatVerifyToken: decryptChannelSecret(app.keys, channel, 'verify_token'),
    chatStatus: next?.status ?? channel?.status ?? 'disconnected',
    botEnabled: channel?.bot_enabled ?? false,
    hasFailed: channel?.status === 'failed',
  };
}
