// Random tokens, of which only the hash is stored.
import { createHash, randomBytes } from 'node:crypto';

/** 32 random bytes as base64url, and the hash that is stored. */
export function newToken(): { token: string; hash: Buffer } {
  const token = randomBytes(32).toString('base64url');
  return { token, hash: hashOf(token) };
}

export const hashOf = (token: string) => createHash('sha256').update(token).digest();

/** Whether the text has the form of a token. */
export const isToken = (text: string) => /^[\w-]{43}$/.test(text);
