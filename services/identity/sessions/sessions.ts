// Creates sessions and their responses, for registration, sign-in, user switching and refresh.
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { asSystem, type TenantTx } from '@clinic/lib/db/db.ts';
import { fail } from '@clinic/lib/errors/errors.ts';
import { v7 } from 'uuid';
import { LIFETIME_SECONDS } from '../access/access-tokens.ts';
import { type AccountRow, toClinic, toUser } from '../access/accounts.sql.ts';
import type { App } from '../app.ts';
import { hashOf, isToken, newToken } from '../credentials/tokens.ts';
import { EXPIRED } from '../second-factor/mfa-token.ts';
import { deviceName } from './device-name-rules.ts';
import { addressOf, deviceOf, isKnownToClinic, rememberClients } from './known-clients.sql.ts';
import { insertRefreshToken } from './refresh-tokens.sql.ts';
import { endFamilyOf, IDLE_DAYS, insertFamily } from './session-families.sql.ts';

const HOUR_MS = 3_600_000;
/** Counted from the sign-in; refreshing does not extend it. */
const LIFETIME_MS = 30 * 24 * HOUR_MS;
const IDLE_MS = IDLE_DAYS * 24 * HOUR_MS;
/** The lifetime of a session begun by PIN. Its access tokens expire with it. */
const PIN_LIFETIME_MS = 12 * HOUR_MS;

/** `deviceToken` and `others` are absent if the session began by PIN. `others`: on how many other devices the user has signed in before. */
export type RefreshToken = { token: string; familyId: string; expiresAt: Date; byPin: boolean; deviceToken?: string; others?: number };

/** `device` is the token in the device's cookie; empty if it has none. */
type Client = { ip: string; userAgent: string; device?: string };

/** Throws UNAUTHENTICATED if there is a session with the id. */
export async function createSession(
  tx: TenantTx,
  userId: string,
  { ip, userAgent, device = '' }: Client,
  now: Date,
  byPin = false,
  id: string = v7(),
): Promise<RefreshToken> {
  const { token, hash } = newToken();
  const after = (ms: number) => new Date(now.getTime() + ms);
  // Any other token may have been put into the cookie by somebody who would then have a known device too.
  const isKnown = isToken(device) && (await isKnownToClinic(tx, deviceOf(device)));
  const deviceToken = isKnown ? device : newToken().token;
  const [others, inserted] = await Promise.all([
    byPin ? undefined : rememberClients(tx, userId, [addressOf(ip), deviceOf(deviceToken)], now),
    insertFamily(tx, { id, user_id: userId, expires_at: after(byPin ? PIN_LIFETIME_MS : LIFETIME_MS), ip, device: deviceName(userAgent), by_pin: byPin }, now),
    insertRefreshToken(tx, { clinic_id: tx.clinicId, family_id: id, hash }, now),
  ]);
  if (!inserted) fail('UNAUTHENTICATED', EXPIRED);
  return { token, familyId: id, expiresAt: after(byPin ? PIN_LIFETIME_MS : IDLE_MS), byPin, ...(others !== undefined && { deviceToken, others }) };
}

/** Ends the session of a refresh token, if there is one, because the browser has a new one. */
export async function endSessionOf({ db }: App, refreshToken: string, now: Date): Promise<void> {
  // As the system, because the token does not name the clinic.
  if (refreshToken !== '') await asSystem(db, (tx) => endFamilyOf(tx, hashOf(refreshToken), 'logout', now));
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
    deviceToken: refresh.deviceToken ?? '',
    refreshExpiresAt: timestampFromDate(refresh.expiresAt),
  };
}
