// Creates sessions and their responses, for registration, sign-in, user switching and refresh.
import { createHash, randomBytes } from 'node:crypto';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { TenantTx } from '@clinic/lib/db/db.ts';
import { v7 } from 'uuid';
import { LIFETIME_SECONDS } from '../access/access-tokens.ts';
import { type AccountRow, toClinic, toUser } from '../access/accounts.sql.ts';
import type { App } from '../app.ts';
import { deviceName } from './device-name-rules.ts';
import { insertRefreshToken } from './refresh-tokens.sql.ts';
import { insertFamily } from './session-families.sql.ts';

const HOUR_MS = 3_600_000;
/** Counted from the sign-in; refreshing does not extend it. */
const LIFETIME_MS = 30 * 24 * HOUR_MS;
const IDLE_MS = 7 * 24 * HOUR_MS;
/** Of a session begun by PIN, at whose end its access tokens end too. */
const PIN_LIFETIME_MS = 12 * HOUR_MS;

export type RefreshToken = { token: string; familyId: string; expiresAt: Date; byPin: boolean };

/** 32 random bytes as base64url, and the hash that is stored. */
export function newRefreshToken(): { token: string; hash: Buffer } {
  const token = randomBytes(32).toString('base64url');
  return { token, hash: hashOf(token) };
}

export function hashOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

export type Client = { ip: string; userAgent: string };

export async function createSession(tx: TenantTx, userId: string, { ip, userAgent }: Client, now: Date, byPin = false): Promise<RefreshToken> {
  const { token, hash } = newRefreshToken();
  const id = v7();
  const after = (ms: number) => new Date(now.getTime() + ms);
  await Promise.all([
    insertFamily(tx, { id, user_id: userId, expires_at: after(byPin ? PIN_LIFETIME_MS : LIFETIME_MS), ip, device: deviceName(userAgent), by_pin: byPin }, now),
    insertRefreshToken(tx, { clinic_id: tx.clinicId, family_id: id, hash }, now),
  ]);
  return { token, familyId: id, expiresAt: after(byPin ? PIN_LIFETIME_MS : IDLE_MS), byPin };
}

export async function toSession(app: App, account: AccountRow, refresh: RefreshToken, now: Date) {
  const secondsLeft = Math.floor((refresh.expiresAt.getTime() - now.getTime()) / 1000);
  const expiresIn = refresh.byPin ? Math.min(LIFETIME_SECONDS, secondsLeft) : LIFETIME_SECONDS;
  return {
    accessToken: await app.accessTokens.sign(account, now, refresh.familyId, expiresIn),
    tokenType: 'Bearer',
    expiresIn,
    user: toUser(account),
    clinic: toClinic(account),
    refreshToken: refresh.token,
    refreshExpiresAt: timestampFromDate(refresh.expiresAt),
  };
}
