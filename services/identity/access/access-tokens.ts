// Access tokens identify the user; the state of user, clinic and plan is looked up on each request.
import { createPublicKey } from 'node:crypto';
import * as errors from 'jose/errors';
import { createLocalJWKSet } from 'jose/jwks/local';
import { SignJWT } from 'jose/jwt/sign';
import { jwtVerify } from 'jose/jwt/verify';
import { v4 } from 'uuid';
import type { SigningKey } from '../settings.ts';

const ISSUER = 'clinic-identity';
const AUDIENCE = 'clinic-api';
export const LIFETIME_SECONDS = 8 * 3600;

export type AccessTokens = {
  /** A JWT signed with ES256. */
  sign(user: { user_id: string; clinic_id: string; app_role: string }, now: Date, sessionId?: string, lifetimeSeconds?: number): Promise<string>;
  /** The clinic, user and session of a token that this service has signed; undefined for any other text. */
  verify(token: string, now: Date): Promise<{ clinicId: string; userId: string; sessionId: string } | undefined>;
  /** The public keys as a JSON Web Key Set (RFC 7517). */
  jwks: string;
};

type Claims = { clinic_id: string; sid?: string };

/** The first key signs; all are published. */
export function createAccessTokens(keys: SigningKey[]): AccessTokens {
  const [current] = keys;
  if (!current) throw new Error('JWT_PRIVATE_KEYS is empty');
  const published = keys.map(({ kid, privateKey }) => ({ ...createPublicKey(privateKey).export({ format: 'jwk' }), kid, alg: 'ES256', use: 'sig' }));
  const findKey = createLocalJWKSet({ keys: published });
  return {
    jwks: JSON.stringify({ keys: published }),
    sign: ({ user_id, clinic_id, app_role }, now, sessionId, lifetimeSeconds = LIFETIME_SECONDS) => {
      const issuedAt = Math.floor(now.getTime() / 1000);
      return new SignJWT({ clinic_id, app_role, role: 'authenticated', ...(sessionId && { sid: sessionId }) })
        .setProtectedHeader({ alg: 'ES256', typ: 'JWT', kid: current.kid })
        .setIssuer(ISSUER)
        .setAudience(AUDIENCE)
        .setSubject(user_id)
        .setJti(v4())
        .setIssuedAt(issuedAt)
        .setExpirationTime(issuedAt + lifetimeSeconds)
        .sign(current.privateKey);
    },
    async verify(token, now) {
      try {
        const options = { algorithms: ['ES256'], issuer: ISSUER, audience: AUDIENCE, currentDate: now };
        const { sub: userId, clinic_id: clinicId, sid: sessionId } = (await jwtVerify<Claims>(token, findKey, options)).payload;
        return userId && sessionId ? { clinicId, userId, sessionId } : undefined;
      } catch (error) {
        if (error instanceof errors.JOSEError) return undefined;
        throw error;
      }
    },
  };
}
