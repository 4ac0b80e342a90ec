// E-mail addresses in a normalised form, so that unique constraints can compare them.
import { invalid } from '../errors/errors.ts';

export const MAX_EMAIL_LENGTH = 254; // RFC 5321, 4.5.3.1.3

// Permissive, since only a mail proves that an address exists. The rules of earlier releases for accounts and for patients differed; this one
// accepts every address that either rule accepted, except those with characters that separate addresses in a mail header.
const EMAIL = /^[^\s\p{Cc}@<>,;"]+@[^\s\p{Cc}@<>,;"]+\.[^\s\p{Cc}@<>,;"]+$/u;

/** Trimmed, in lower case and in composed form (Unicode NFC), or undefined when the text is not an e-mail address. */
export function normalizeEmail(text: string): string | undefined {
  const email = text.trim().toLowerCase().normalize('NFC');
  return email.length <= MAX_EMAIL_LENGTH && EMAIL.test(email) ? email : undefined;
}

export const parseEmail = (path: string, value: string): string => normalizeEmail(value) ?? invalid(path, 'must be an e-mail address');
