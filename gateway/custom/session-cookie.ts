// The cookie of the refresh token: not readable by scripts, sent to the auth routes alone.
import { timestampDate } from '@bufbuild/protobuf/wkt';
import type { Session } from '@clinic/proto/identity/v1/session_pb.js';
import type { SetCookie } from 'cookie';

const REFRESH = { name: 'refresh_token', path: '/api/auth', httpOnly: true, sameSite: 'strict' } as const;

export function refreshCookie(session: Session): SetCookie {
  return { ...REFRESH, value: session.refreshToken, ...(session.refreshExpiresAt && { expires: timestampDate(session.refreshExpiresAt) }) };
}

/** Deletes the cookie. */
export function deletedRefreshCookie(): SetCookie {
  return { ...REFRESH, value: '', expires: new Date(0) };
}
