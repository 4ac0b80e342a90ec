// How deliveries rest: each sealed for its own place.
import type { NamedKey } from '@clinic/lib/config/config.ts';
import { open, seal } from '@clinic/lib/crypto/crypto.ts';

export const eventPlace = (id: string) => `chat_events/${id}`;

/** A delivery as text: JSON is UTF-8, and what is not cannot be used anyway. */
export const sealEvent = (keys: NamedKey[], id: string, body: Uint8Array) => seal(keys, Buffer.from(body).toString('base64'), eventPlace(id));

export const openEvent = (keys: NamedKey[], id: string, sealed: Buffer) => Buffer.from(open(keys, sealed, eventPlace(id)), 'base64');
