// Encryption of a channel's secrets. The context is that of row and column: a ciphertext that is copied elsewhere cannot be decrypted.
import type { NamedKey } from '@clinic/lib/config/config.ts';
import { decrypt, encrypt } from '@clinic/lib/crypto/crypto.ts';
import type { ChannelRow } from './channels.sql.ts';

export type ChannelSecret = 'access_token' | 'verify_token' | 'pin';

export const channelSecretContext = (clinicId: string, secret: ChannelSecret) => `${clinicId}/channels/${secret}`;

export const encryptChannelSecret = (keys: NamedKey[], clinicId: string, secret: ChannelSecret, value: string) =>
  encrypt(keys, value, channelSecretContext(clinicId, secret));

/** Undefined when the channel does not have the secret. */
export function decryptChannelSecret(keys: NamedKey[], channel: ChannelRow | undefined, secret: ChannelSecret): string | undefined {
  const ciphertext = channel?.[`${secret}_sealed`]; // plain-words: sealed is in the names of columns
  return channel && ciphertext ? decrypt(keys, ciphertext, channelSecretContext(channel.clinic_id, secret)) : undefined;
}
