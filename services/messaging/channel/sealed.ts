// How secrets rest: each sealed for its own place, so that a value copied elsewhere opens nowhere.
import type { NamedKey } from '@clinic/lib/config/config.ts';
import { open, seal } from '@clinic/lib/crypto/crypto.ts';

type ChannelSecret = 'access_token' | 'verify_token' | 'pin';

export const channelPlace = (clinicId: string, column: ChannelSecret) => `${clinicId}/channels/${column}`;

export const sealForChannel = (keys: NamedKey[], clinicId: string, column: ChannelSecret, value: string) => seal(keys, value, channelPlace(clinicId, column));

export const openOfChannel = (keys: NamedKey[], clinicId: string, column: ChannelSecret, sealed: Buffer | null) =>
  sealed ? open(keys, sealed, channelPlace(clinicId, column)) : undefined;

export const eventPlace = (id: string) => `chat_events/${id}`;
export const mailPlace = (id: string, column: 'to' | 'content') => `mails/${id}/${column}`;

/** A delivery as text: JSON is UTF-8, and what is not cannot be used anyway. */
export const sealEvent = (keys: NamedKey[], id: string, body: Uint8Array) => seal(keys, Buffer.from(body).toString('base64'), eventPlace(id));

export const openEvent = (keys: NamedKey[], id: string, sealed: Buffer) => Buffer.from(open(keys, sealed, eventPlace(id)), 'base64');

export const sealMail = (keys: NamedKey[], id: string, column: 'to' | 'content', value: string) => seal(keys, value, mailPlace(id, column));

export const openMail = (keys: NamedKey[], id: string, column: 'to' | 'content', sealed: Buffer) => open(keys, sealed, mailPlace(id, column));
