// Encryption of a channel's secrets. The encryption context identifies clinic and column, so that a ciphertext copied elsewhere cannot be
// decrypted. All numbers of a clinic share the context, because a new number replaces the current one.
import type { NamedKey } from '@clinic/lib/config/config.ts';
import { decrypt, encrypt } from '@clinic/lib/crypto/crypto.ts';

export type ChannelSecret = 'access_token' | 'verify_token' | 'pin';
type Secrets = { clinic_id: string } & { [S in ChannelSecret as `${S}_sealed`]?: Buffer | null }; // plain-words: sealed is in the names of columns

export const channelSecretContext = (clinicId: string, secret: ChannelSecret) => `${clinicId}/channels/${secret}`;

export const encryptChannelSecret = (keys: NamedKey[], clinicId: string, secret: ChannelSecret, value: string) =>
  encrypt(keys, value, channelSecretContext(clinicId, secret));

/** Undefined when the channel does not have the secret. */
export function decryptChannelSecret(keys: NamedKey[], channel: Secrets | undefined, secret: ChannelSecret): string | undefined {
  const ciphertext = channel?.[`${secret}_sealed`]; // plain-words: sealed is in the names of columns
  return channel && ciphertext ? decrypt(keys, ciphertext, channelSecretContext(channel.clinic_id, secret)) : undefined;
}
