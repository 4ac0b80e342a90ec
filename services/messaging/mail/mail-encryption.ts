// Encryption of stored mails. The context is that of row and column: a ciphertext that is copied elsewhere cannot be decrypted.
import type { NamedKey } from '@clinic/lib/config/config.ts';
import { decrypt, encrypt } from '@clinic/lib/crypto/crypto.ts';

export const mailContext = (id: string, column: 'to' | 'content') => `mails/${id}/${column}`;

export const encryptMail = (keys: NamedKey[], id: string, column: 'to' | 'content', value: string) => encrypt(keys, value, mailContext(id, column));

export const decryptMail = (keys: NamedKey[], id: string, column: 'to' | 'content', ciphertext: Buffer) => decrypt(keys, ciphertext, mailContext(id, column));
