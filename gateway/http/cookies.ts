// Cookies: those of a session, which scripts cannot read and browsers send to the auth routes only, and those that only this host can set.
import { timestampDate } from '@bufbuild/protobuf/wkt';
import type { Session } from '@clinic/proto/identity/v1/session_pb.js';
import { parseCookie, type SetCookie, stringifyCookie } from 'cookie';
import type { RequestHandler } from 'express';

export const DEVICE_COOKIE = 'device';

const REFRESH = { name: 'refresh_token', path: '/api/auth', httpOnly: true, sameSite: 'strict' } as const;

/** Lets identity recognise a device on which a user has signed in before, even after signing out. */
const DEVICE = { ...REFRESH, name: DEVICE_COOKIE, maxAge: 365 * 24 * 3600 } as const;

/** The cookie of the refresh token comes first. */
export function sessionCookies(session: Session): SetCookie[] {
  const refresh = { ...REFRESH, value: session.refreshToken, ...(session.refreshExpiresAt && { expires: timestampDate(session.refreshExpiresAt) }) };
  return [refresh, ...(session.deviceToken ? [{ ...DEVICE, value: session.deviceToken }] : [])];
}

/** Deletes the cookie of the refresh token. */
export const deletedRefreshCookie = () => [{ ...REFRESH, value: '', expires: new Date(0) }];

const HOST_PREFIX = '__Host-';

/** A cookie that only this host can set, and only over TLS. Browsers require the path / for it. */
export const toHostCookie = (cookie: SetCookie): SetCookie => ({ ...cookie, name: HOST_PREFIX + cookie.name, path: '/', secure: true });

/** Ignores cookies without the prefix, which another host of the domain may have set. */
export const acceptHostCookies: RequestHandler = (request, _response, next) => {
  const cookies = Object.entries(parseCookie(request.headers.cookie ?? '')).filter(([name]) => name.startsWith(HOST_PREFIX));
  request.headers.cookie = stringifyCookie(Object.fromEntries(cookies.map(([name, value]) => [name.slice(HOST_PREFIX.length), value])));
  next();
};
