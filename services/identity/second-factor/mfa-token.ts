// The token of a sign-in whose password or PIN was correct and that awaits a code. It is encrypted and valid for five minutes. It names the
// session that it begins, so that it begins only one.
import { createHash } from 'node:crypto';
import { decrypt, encrypt } from '@clinic/lib/crypto/crypto.ts';
import { fail, ServiceError } from '@clinic/lib/errors/errors.ts';
import { v7 } from 'uuid';
import type { App } from '../app.ts';

type AwaitedCode = {
  clinicId: string;
  userId: string;
  /** The id of the session that begins. Absent from tokens of earlier releases. */
  sessionId?: string;
  /** Fingerprint of the password hash: a new password ends the sign-in. */
  password: string;
  byPin: boolean;
  /** Whether the address or device was known for the user; whether the device was. */
  known: boolean;
  knownDevice: boolean;
};

const LIFETIME_MS = 5 * 60_000;
const CONTEXT = 'mfa-token';
export const EXPIRED = 'The sign-in has expired: sign in again';

export const fingerprint = (passwordHash: string) => createHash('sha256').update(passwordHash).digest('base64url');

/** Throws MFA_REQUIRED, whose detail `mfa_token` is the token. */
export function requireCode({ keys, clock }: App, awaited: AwaitedCode): never {
  const expires = clock.now().getTime() + LIFETIME_MS;
  const token = encrypt(keys, JSON.stringify({ ...awaited, sessionId: v7(), expires }), CONTEXT).toString('base64url');
  throw new ServiceError('MFA_REQUIRED', undefined, [{ path: 'mfa_token', message: token }]);
}

/** Throws UNAUTHENTICATED for a token that has expired or was not made here. */
export function parseMfaToken({ keys, clock }: App, token: string): AwaitedCode {
  const { expires, ...awaited } = JSON.parse(decryptToken(keys, token)) as AwaitedCode & { expires: number };
  return expires > clock.now().getTime() ? awaited : fail('UNAUTHENTICATED', EXPIRED);
}

function decryptToken(keys: App['keys'], token: string): string {
  try {
    return decrypt(keys, Buffer.from(token, 'base64url'), CONTEXT);
  } catch {
    return fail('UNAUTHENTICATED', EXPIRED);
  }
}
