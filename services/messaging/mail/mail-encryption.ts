// How mails rest until they are sent: address and content each sealed for its own place.
import type { NamedKey } from '@clinic/lib/config/config.ts';
import { decrypt, encrypt } from '@clinic/lib/crypto/crypto.ts';

export const mailContext = (id: string, column: 'to' | 'content') => `mails/${id}/${column}`;

export const encryptMail = (keys: NamedKey[], id: string, column: 'to' | 'content', value: string) => encrypt(keys, value, mailContext(id, column));

export const decryptMail = (keys: NamedKey[], id: string, column: 'to' | 'content', sealed: Buffer) => decrypt(keys, sealed, mailContext(id, column));
