// Access tokens identify the user. State of user, clinic and plan are looked up on each request.
import { createPublicKey } from 'node:crypto';
import { SignJWT } from 'jose';
import { v4 } from 'uuid';
import type { SigningKey } from '../settings.ts';

export const ISSUER = 'clinic-identity';
export const AUDIENCE = 'clinic-api';
export const LIFETIME_SECONDS = 8 * 3600;

export type AccessTokens = {
  /** A JWT signed with ES256, valid for 8 hours and no longer than its session. */
  sign(user: { user_id: string; clinic_id: string; app_role: string }, now: Date, sessionId?: string): Promise<string>;
  /** The public keys as a JSON Web Key Set (RFC 7517). */
  jwks: string;
};

/** The first key signs, all of them are published. */
export function createAccessTokens(keys: SigningKey[]): AccessTokens {
  const [current] = keys;
  if (!current) throw new Error('JWT_PRIVATE_KEYS is empty');
  const published = keys.map(({ kid, privateKey }) => ({ ...createPublicKey(privateKey).export({ format: 'jwk' }), kid, alg: 'ES256', use: 'sig' }));
  return {
    jwks: JSON.stringify({ keys: published }),
    sign: ({ user_id, clinic_id, app_role }, now, sessionId) => {
      const issuedAt = Math.floor(now.getTime() / 1000);
      return new SignJWT({ clinic_id, app_role, role: 'authenticated', ...(sessionId && { sid: sessionId }) })
        .setProtectedHeader({ alg: 'ES256', typ: 'JWT', kid: current.kid })
        .setIssuer(ISSUER)
        .setAudience(AUDIENCE)
        .setSubject(user_id)
        .setJti(v4())
        .setIssuedAt(issuedAt)
        .setExpirationTime(issuedAt + LIFETIME_SECONDS)
        .sign(current.privateKey);
    },
  };
}
