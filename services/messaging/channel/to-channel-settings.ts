// The chat settings as users may see them: the token by its beginning only.
import type { App } from '../app.ts';
import { decryptChannelSecret } from './channel-secrets.ts';
import { type ChannelRow, toSettings } from './channels.sql.ts';

export const MASK = '****';

export function toChannelSettings(app: App, channel: ChannelRow | undefined) {
  const open = (column: 'access_token' | 'verify_token', sealed: Buffer | null | undefined) =>
    channel && decryptChannelSecret(app.keys, channel.clinic_id, column, sealed ?? null);
  const token = open('access_token', channel?.access_token_sealed);
  return toSettings(channel, token && `${token.slice(0, 8)}${MASK}`, open('verify_token', channel?.verify_token_sealed));
}
