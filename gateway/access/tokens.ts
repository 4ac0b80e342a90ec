// Verifies access tokens. Verifying a signature costs a hundred times as much as a hash, so verified tokens are cached by their hash until
// they expire.
import { hash } from 'node:crypto';
import { Remembered } from '@clinic/lib/background/remembered.ts';
import type { Clock } from '@clinic/lib/clock/clock.ts';
import { fail, ServiceError } from '@clinic/lib/errors/errors.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import type { JWTPayload } from 'jose';
import * as errors from 'jose/errors';
import { jwtVerify } from 'jose/jwt/verify';
import type { SigningKeys } from './signing-keys.ts';

/** `sessionId` is empty for tokens without a session. `expires` is in milliseconds since 1970. */
export type Claims = { userId: string; clinicId: string; sessionId: string; expires: number };

const MAX_CACHED = 10_000;
const MAX_LENGTH = 4096;

/** The claims of the token in an Authorization header. Throws UNAUTHENTICATED or TOKEN_EXPIRED. */
export type VerifyToken = (authorization: string | undefined) => Promise<Claims>;

export function createTokenVerifier(keys: SigningKeys, clock: Clock): VerifyToken {
  let cached = new Remembered<Claims>(MAX_CACHED);
  let generation = keys.generation();

  async function verify(token: string): Promise<Claims> {
    try {
      const { payload } = await jwtVerify(token, keys.find, {
        algorithms: ['ES256'],
        issuer: 'clinic-identity',
        audience: 'clinic-api',
        requiredClaims: ['sub', 'exp', 'iat', 'jti', 'clinic_id', 'app_role'],
        currentDate: clock.now(),
      });
      return claimsOf(payload);
    } catch (error) {
      if (error instanceof errors.JWTExpired) fail('TOKEN_EXPIRED');
      if (error instanceof errors.JOSEError) fail('UNAUTHENTICATED');
      throw error;
    }
  }

  return async (authorization) => {
    const token = bearerToken(authorization);
    if (generation !== keys.generation()) {
      generation = keys.generation();
      cached = new Remembered(MAX_CACHED);
    }
    const name = hash('sha256', token, 'base64');
    const known = cached.get(name);
    if (known) return known.expires > clock.now().getTime() ? known : fail('TOKEN_EXPIRED');
    const claims = await verify(token);
    cached.set(name, claims);
    return claims;
  };
}

function bearerToken(authorization: string | undefined): string {
  const [scheme = '', token = '', ...rest] = (authorization ?? '').split(/ +/);
  if (scheme.toLowerCase() !== 'bearer' || token === '' || rest.length > 0 || token.length > MAX_LENGTH) throw new ServiceError('UNAUTHENTICATED');
  return token;
}

function claimsOf({ sub, clinic_id, role, exp, sid = '' }: JWTPayload): Claims {
  if (typeof sub !== 'string' || typeof clinic_id !== 'string' || !isUuid(sub) || !isUuid(clinic_id) || role !== 'authenticated' || !exp)
    throw new ServiceError('UNAUTHENTICATED');
  if (typeof sid !== 'string' || (sid !== '' && !isUuid(sid))) throw new ServiceError('UNAUTHENTICATED');
  return { userId: sub, clinicId: clinic_id, sessionId: sid, expires: exp * 1000 };
}
