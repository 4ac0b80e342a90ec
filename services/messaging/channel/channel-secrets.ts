// How a channel's secrets rest: each sealed for its own place, so that a value copied elsewhere opens nowhere.
import type { NamedKey } from '@clinic/lib/config/config.ts';
import { decrypt, encrypt } from '@clinic/lib/crypto/crypto.ts';

export type ChannelSecret = 'access_token' | 'verify_token' | 'pin';

export const channelSecretContext = (clinicId: string, column: ChannelSecret) => `${clinicId}/channels/${column}`;

export const encryptChannelSecret = (keys: NamedKey[], clinicId: string, column: ChannelSecret, value: string) =>
  encrypt(keys, value, channelSecretContext(clinicId, column));

export const decryptChannelSecret = (keys: NamedKey[], clinicId: string, column: ChannelSecret, sealed: Buffer | null) =>
  sealed ? decrypt(keys, sealed, channelSecretContext(clinicId, column)) : undefined;
