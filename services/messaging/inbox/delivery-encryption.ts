// How deliveries rest: each sealed for its own place.
import type { NamedKey } from '@clinic/lib/config/config.ts';
import { decrypt, encrypt } from '@clinic/lib/crypto/crypto.ts';

export const deliveryContext = (id: string) => `chat_events/${id}`;

/** A delivery as text: JSON is UTF-8, and what is not cannot be used anyway. */
export const encryptDelivery = (keys: NamedKey[], id: string, body: Uint8Array) => encrypt(keys, Buffer.from(body).toString('base64'), deliveryContext(id));

export const decryptDelivery = (keys: NamedKey[], id: string, sealed: Buffer) => Buffer.from(decrypt(keys, sealed, deliveryContext(id)), 'base64');
