// The chat settings of a clinic as its admins see them: of the access token only the beginning.
import type { MessageInitShape } from '@bufbuild/protobuf';
import type { ChannelSettingsSchema } from '@clinic/proto/messaging/v1/channel_pb.js';
import type { App } from '../app.ts';
import { decryptChannelSecret } from './channel-secrets.ts';
import type { Binding, ChannelRow } from './channels.sql.ts';

/** Ends a token that is shown in part. A token that contains it is not saved. */
export const MASK = '****';

/** `next` is the number that is being connected instead, whose status counts. */
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
