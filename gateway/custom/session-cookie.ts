// The refresh token lives in a cookie that scripts cannot read and that only the auth routes receive.
import { timestampDate } from '@bufbuild/protobuf/wkt';
import type { Session } from '@clinic/proto/identity/v1/session_pb.js';
import type { SetCookie } from 'cookie';

const REFRESH = { name: 'refresh_token', path: '/api/auth', httpOnly: true, sameSite: 'strict' } as const;

export function refreshCookie(session: Session): SetCookie {
  return { ...REFRESH, value: session.refreshToken, ...(session.refreshExpiresAt && { expires: timestampDate(session.refreshExpiresAt) }) };
}

export function endedSession(): SetCookie {
  return { ...REFRESH, value: '', expires: new Date(0) };
}
