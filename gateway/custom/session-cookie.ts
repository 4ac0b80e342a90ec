// The cookies of a session: not readable by scripts, sent to the auth routes alone.
import { timestampDate } from '@bufbuild/protobuf/wkt';
import type { Session } from '@clinic/proto/identity/v1/session_pb.js';
import type { SetCookie } from 'cookie';

export const DEVICE_COOKIE = 'device';

const REFRESH = { name: 'refresh_token', path: '/api/auth', httpOnly: true, sameSite: 'strict' } as const;

/** By which identity knows a device on which a user has signed in before, also after signing out. */
const DEVICE = { ...REFRESH, name: DEVICE_COOKIE, maxAge: 365 * 24 * 3600 } as const;

/** The cookie of the refresh token first. */
export function sessionCookies(session: Session): SetCookie[] {
  const refresh = { ...REFRESH, value: session.refreshToken, ...(session.refreshExpiresAt && { expires: timestampDate(session.refreshExpiresAt) }) };
  return [refresh, ...(session.deviceToken ? [{ ...DEVICE, value: session.deviceToken }] : [])];
}

/** Deletes the cookie. */
export function deletedRefreshCookie(): SetCookie[] {
  return [{ ...REFRESH, value: '', expires: new Date(0) }];
}
