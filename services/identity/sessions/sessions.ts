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

/** Counted from the sign-in; refreshing does not extend it. */
const FAMILY_LIFETIME_MS = 30 * 24 * 3_600_000;

export type RefreshToken = { token: string; familyId: string; expiresAt: Date };

/** 32 random bytes as base64url, and the hash that is stored. */
export function newRefreshToken(): { token: string; hash: Buffer } {
  const token = randomBytes(32).toString('base64url');
  return { token, hash: hashOf(token) };
}

export function hashOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

export type Client = { ip: string; userAgent: string };

export async function createSession(tx: TenantTx, userId: string, { ip, userAgent }: Client, now: Date): Promise<RefreshToken> {
  const { token, hash } = newRefreshToken();
  const id = v7();
  const expiresAt = new Date(now.getTime() + FAMILY_LIFETIME_MS);
  await Promise.all([
    insertFamily(tx, { id, user_id: userId, expires_at: expiresAt, ip, device: deviceName(userAgent) }, now),
    insertRefreshToken(tx, { clinic_id: tx.clinicId, family_id: id, hash }, now),
  ]);
  return { token, familyId: id, expiresAt };
}

export async function toSession(app: App, account: AccountRow, refresh: RefreshToken, now: Date) {
  return {
    accessToken: await app.accessTokens.sign(account, now, refresh.familyId),
    tokenType: 'Bearer',
    expiresIn: LIFETIME_SECONDS,
    user: toUser(account),
    clinic: toClinic(account),
    refreshToken: refresh.token,
    refreshExpiresAt: timestampFromDate(refresh.expiresAt),
  };
}
