// How a session begins and what it looks like to the one who signed in. Registration, sign-in and refresh end here.
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

/** A family lives this long from its sign-in; refreshing does not extend it. */
const FAMILY_LIFETIME_MS = 30 * 24 * 3_600_000;

export type RefreshToken = { token: string; familyId: string; expiresAt: Date };

/** 32 random bytes as base64url, with the hash that is stored. */
export function newRefreshToken(): { token: string; hash: Buffer } {
  const token = randomBytes(32).toString('base64url');
  return { token, hash: hashOf(token) };
}

export function hashOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

/** Who signs in, as far as the request tells. */
export type Client = { ip: string; userAgent: string };

/** Begins a family for the user. */
export async function beginFamily(tx: TenantTx, userId: string, { ip, userAgent }: Client, now: Date): Promise<RefreshToken> {
  const { token, hash } = newRefreshToken();
  const id = v7();
  const expiresAt = new Date(now.getTime() + FAMILY_LIFETIME_MS);
  await Promise.all([
    insertFamily(tx, { id, user_id: userId, expires_at: expiresAt, ip, device: deviceName(userAgent) }, now),
    insertRefreshToken(tx, { clinic_id: tx.clinicId, family_id: id, hash }, now),
  ]);
  return { token, familyId: id, expiresAt };
}

/** The session that RegisterClinic, Login and RefreshSession answer with. */
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
