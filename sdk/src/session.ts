// The session of a user: sends the access token, and refreshes it when it has expired.
import type { components } from './gen/schema.ts';
import { isTemporary, type Send } from './retry.ts';

export type Session = components['schemas']['Session'];

/** The paths that begin or continue a session. */
const SIGN_INS = new Set(['login', 'mfa', 'refresh', 'switch', 'register-clinic'].map((name) => `/api/auth/${name}`));
const SIGN_OUT = '/api/auth/logout';

export type SessionKeeper = {
  send: Send;
  /** Obtains a new access token with the cookie. Resolves with the response of the API. */
  refresh(): Promise<Response>;
};

/** `key` is an integration key, which needs no session. */
export function keepSession(send: Send, baseUrl: string, key: string | undefined): SessionKeeper {
  let token = key;
  let refreshing: Promise<Response> | undefined;
  /** Cookies by name. Empty in browsers, which store and send cookies themselves and do not reveal them to scripts. */
  const cookies = new Map<string, string>();

  async function sendAuth(request: Request, path: string): Promise<Response> {
    const outgoing = new Request(request, { credentials: 'include' });
    if (cookies.size > 0) outgoing.headers.set('Cookie', [...cookies].map(([name, value]) => `${name}=${value}`).join('; '));
    const response = await send(outgoing);
    for (const cookie of response.headers.getSetCookie?.() ?? []) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      if (value === '') cookies.delete(name);
      else cookies.set(name, value);
    }
    if (path === SIGN_OUT) token = key;
    else if (response.ok && SIGN_INS.has(path)) token = ((await response.clone().json()) as Session).access_token;
    return response;
  }

  function refresh(): Promise<Response> {
    refreshing ??= sendAuth(new Request(`${baseUrl}/api/auth/refresh`, { method: 'POST' }), '/api/auth/refresh').finally(() => {
      refreshing = undefined;
    });
    return refreshing.then((response) => response.clone());
  }

  async function sendAuthorized(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    const path = pathname.slice(pathname.lastIndexOf('/api/'));
    const withToken = (original: Request) => {
      if (token !== undefined && !original.headers.has('Authorization') && !original.headers.has('X-Admin-Key'))
        original.headers.set('Authorization', `Bearer ${token}`);
      return original;
    };
    if (path.startsWith('/api/auth/') && (SIGN_INS.has(path) || path === SIGN_OUT)) return sendAuth(withToken(request), path);
    const again = request.clone();
    const used = token;
    const response = await send(withToken(request));
    if (response.status !== 401 || used === undefined || used === key) return response;
    const { code } = (await response
      .clone()
      .json()
      .catch(() => ({}))) as { code?: string };
    if (code !== 'TOKEN_EXPIRED') return response;
    if (token === used) {
      const refreshed = await refresh();
      if (!refreshed.ok) return isTemporary(refreshed.status) ? refreshed : response; // if it is temporary, the session has not ended
    }
    await response.body?.cancel();
    return send(withToken(again));
  }

  return { send: sendAuthorized, refresh };
}
