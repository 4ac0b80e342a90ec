// Encryption of stored deliveries. The context is the row: a ciphertext that is copied to another row cannot be decrypted.
import type { NamedKey } from '@clinic/lib/config/config.ts';
import { decrypt, encrypt } from '@clinic/lib/crypto/crypto.ts';

export const deliveryContext = (id: string) => `chat_events/${id}`;

/** The body is encrypted as base64, since encrypt() takes text and a body may be no valid UTF-8. */
export const encryptDelivery = (keys: NamedKey[], id: string, body: Uint8Array) => encrypt(keys, Buffer.from(body).toString('base64'), deliveryContext(id));

export const decryptDelivery = (keys: NamedKey[], id: string, ciphertext: Buffer) => Buffer.from(decrypt(keys, ciphertext, deliveryContext(id)), 'base64');
