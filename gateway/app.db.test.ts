import http from 'node:http';
import net from 'node:net';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { ServiceError } from '@clinic/lib/errors/errors.ts';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { CLINIC_ID, OPERATOR_KEY, RECORD_ID, startTestGateway, type TestGateway, USER_ID } from './testing/test-gateway.ts';

let gateway: TestGateway;
let authorization: string;
async function open(env: Record<string, string> = {}) {
  gateway = await startTestGateway(env);
  authorization = `Bearer ${await gateway.token()}`;
}
beforeEach(() => open());
afterEach(() => gateway.stop());
const reopen = async (env: Record<string, string>) => {
  await gateway.stop();
  await open(env);
};

const session = {
  accessToken: 'a.b.c',
  tokenType: 'Bearer',
  expiresIn: 28800,
  user: { id: USER_ID, email: 'ana@example.com', fullName: 'Ana', appRole: 'admin', clinicId: CLINIC_ID },
  clinic: { id: CLINIC_ID, name: 'Sonrisa', slug: 'sonrisa', clinicType: 'dental', subscriptionPlan: 'forever_free' },
  refreshToken: 'opaque+/=',
  refreshExpiresAt: timestampFromDate(new Date('2026-09-02T12:00:00Z')),
};

describe('sessions', () => {
  const login = () =>
    fetch(`${gateway.url}/api/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"email":"ana@example.com","password":"x"}',
    });

  test('the refresh token is in the cookie and never in the body', async () => {
    gateway.replies['SessionService.login'] = () => session;
    const response = await login();
    expect(response.headers.get('set-cookie')).toBe(
      'refresh_token=opaque+/=; Path=/api/auth; Expires=Wed, 02 Sep 2026 12:00:00 GMT; HttpOnly; Secure; SameSite=Strict',
    );
    expect(await response.json()).toEqual({
      access_token: 'a.b.c',
      token_type: 'Bearer',
      expires_in: 28800,
      user: { id: USER_ID, email: 'ana@example.com', full_name: 'Ana', app_role: 'admin', clinic_id: CLINIC_ID },
      clinic: { id: CLINIC_ID, name: 'Sonrisa', slug: 'sonrisa', clinic_type: 'dental', subscription_plan: 'forever_free', subscription_expires_at: null },
    });
  });

  test('in development the cookie works without TLS', async () => {
    await reopen({ NODE_ENV: 'development' });
    gateway.replies['SessionService.login'] = () => session;
    expect((await login()).headers.get('set-cookie')).not.toContain('Secure');
  });

  test('with HOST_COOKIES only cookies that no other host can set are sent and accepted', async () => {
    await reopen({ HOST_COOKIES: 'true', NODE_ENV: 'development' });
    gateway.replies['SessionService.login'] = () => session;
    expect((await login()).headers.get('set-cookie')).toBe(
      '__Host-refresh_token=opaque+/=; Path=/; Expires=Wed, 02 Sep 2026 12:00:00 GMT; HttpOnly; Secure; SameSite=Strict',
    );
    gateway.replies['SessionService.refreshSession'] = () => session;
    const refresh = (cookie: string) => fetch(`${gateway.url}/api/auth/refresh`, { method: 'POST', headers: { cookie } });
    expect((await refresh('refresh_token=abc')).status).toBe(401);
    expect((await refresh('refresh_token=abc; __Host-refresh_token=opaque%2B%2F%3D')).status).toBe(200);
    expect(gateway.calls.at(-1)?.request).toMatchObject({ refreshToken: 'opaque+/=' });
  });

  test('refresh takes the token from the cookie; without one it calls no service', async () => {
    gateway.replies['SessionService.refreshSession'] = () => session;
    const refresh = (cookie?: string) => fetch(`${gateway.url}/api/auth/refresh`, { method: 'POST', headers: cookie === undefined ? {} : { cookie } });
    expect((await refresh('other=1; refresh_token=opaque%2B%2F%3D')).status).toBe(200);
    expect(gateway.calls[0]?.request).toMatchObject({ refreshToken: 'opaque+/=' });
    for (const cookie of [undefined, 'other=1', 'refresh_token=', `refresh_token=${'x'.repeat(600)}`]) {
      const response = await refresh(cookie);
      expect([response.status, await response.json()]).toMatchObject([401, { code: 'UNAUTHENTICATED' }]);
    }
    expect(gateway.calls).toHaveLength(1);
  });

  test('signing out deletes the cookie, whether or not there is one', async () => {
    for (const headers of [{ cookie: 'refresh_token=abc' }, {}] as Record<string, string>[]) {
      const response = await fetch(`${gateway.url}/api/auth/logout`, { method: 'POST', headers });
      expect(response.status).toBe(200);
      expect(response.headers.get('set-cookie')).toMatch(/^refresh_token=; Path=\/api\/auth; Expires=Thu, 01 Jan 1970/);
    }
    expect(gateway.calls.map(({ request }) => request.refreshToken)).toEqual(['abc', '']);
  });
});

describe('routes', () => {
  const send = async (method: string, path: string) => {
    const response = await fetch(gateway.url + path, { method, headers: { authorization } });
    return { status: response.status, allow: response.headers.get('allow'), body: await response.text() };
  };

  test('an unknown path is 404 in the common error format', async () => {
    for (const path of ['/api', '/api/none', '/api/doctors/1/2/3', '/API/doctors', '/api/%ff', '/api/doctors%2F'])
      expect(await send('GET', path)).toMatchObject({ status: 404, body: expect.stringContaining('"code":"NOT_FOUND"') });
  });

  test('an unsupported method is 405 with Allow', async () => {
    expect(await send('DELETE', '/api/doctors')).toMatchObject({
      status: 405,
      allow: 'GET, POST, HEAD, OPTIONS',
      body: expect.stringContaining('METHOD_NOT_ALLOWED'),
    });
    expect(await send('GET', '/api/auth/login')).toMatchObject({ status: 405, allow: 'POST, OPTIONS' });
    expect(await send('OPTIONS', '/api/auth/login')).toMatchObject({ status: 204, allow: 'POST, OPTIONS' });
    expect(gateway.calls).toEqual([]);
  });

  test('the root redirects to the reference, and browsers get an icon', async () => {
    const root = await fetch(gateway.url, { redirect: 'manual' });
    expect([root.status, root.headers.get('location')]).toEqual([302, '/docs']);
    expect((await fetch(gateway.url)).headers.get('content-type')).toMatch('text/html');
    expect((await fetch(`${gateway.url}/favicon.ico`)).headers.get('content-type')).toBe('image/png');
  });

  test.each([
    ['/webhooks/chat', 'GET, POST, HEAD, OPTIONS'],
    ['/webhooks/payments', 'POST, OPTIONS'],
    [`/api/check-in/${'a'.repeat(66)}`, 'GET, POST, HEAD, OPTIONS'],
    ...['/', '/docs', '/docs/guides.css', '/favicon.ico', '/register', '/check-in/x', '/.well-known/jwks.json', '/api/openapi.json', '/api/events'].map(
      (path) => [path, 'GET, HEAD, OPTIONS'],
    ),
  ])('%s, which has no route row, handles OPTIONS and unsupported methods as rows do', async (path, allow) => {
    expect(await send('OPTIONS', path)).toEqual({ status: 204, allow, body: '' });
    expect(await send('DELETE', path)).toMatchObject({ status: 405, allow, body: expect.stringContaining('METHOD_NOT_ALLOWED') });
  });

  test.each(['/status', '/.well-known/jwks.json'])('%s refuses an unknown query parameter', async (path) => {
    expect(await send('GET', `${path}?x=1`)).toMatchObject({ status: 400, body: expect.stringContaining('VALIDATION_ERROR') });
  });

  test('HEAD responds as GET does, without a body', async () => {
    expect(await send('HEAD', '/api/doctors')).toMatchObject({ status: 200, body: '' });
  });

  test('a path that is not percent-encoded text is 400', async () => {
    expect(await send('GET', '/api/doctors/%ff')).toMatchObject({ status: 400, body: expect.stringContaining('"details":[{"path":"path"') });
  });

  test('unwrapped lists are bare arrays', async () => {
    gateway.replies['DoctorService.listSlots'] = () => ({ slots: [{ startTime: '09:00', endTime: '09:30' }] });
    expect((await send('GET', `/api/doctors/${RECORD_ID}/slots?date=2026-08-03`)).body).toBe('[{"startTime":"09:00","endTime":"09:30"}]');
  });
});

describe('errors', () => {
  const list = async () => {
    const response = await fetch(`${gateway.url}/api/doctors`, { headers: { authorization } });
    return [response.status, await response.json()];
  };

  test('an internal error reveals no internals', async () => {
    gateway.replies['DoctorService.listDoctors'] = () => {
      throw new Error('select secret from table');
    };
    expect(await list()).toEqual([500, { error: expect.not.stringContaining('secret'), code: 'INTERNAL' }]);
    gateway.replies['DoctorService.listDoctors'] = () => {
      throw new ServiceError('UNAVAILABLE', 'connect 10.0.0.7:5432', [{ path: 'host', message: '10.0.0.7' }]);
    };
    expect(await list()).toEqual([503, { error: expect.not.stringContaining('10.0'), code: 'UNAVAILABLE' }]);
    expect((await fetch(`${gateway.url}/api/doctors`, { headers: { authorization } })).headers.get('retry-after')).toBe('1');
  });

  test('the details of a validation error of a service are passed on', async () => {
    gateway.replies['DoctorService.listDoctors'] = () => {
      throw new ServiceError('VALIDATION_ERROR', 'timezone: unknown', [{ path: 'timezone', message: 'unknown' }]);
    };
    expect(await list()).toEqual([400, { error: 'timezone: unknown', code: 'VALIDATION_ERROR', details: [{ path: 'timezone', message: 'unknown' }] }]);
  });

  /** What the server sends on a connection until it closes it. */
  const sendRaw = (request: string) =>
    new Promise<string>((resolve) => {
      let text = '';
      const socket = net.connect(Number(new URL(gateway.url).port), '127.0.0.1', () => socket.write(request));
      socket.on('data', (chunk) => {
        text += chunk;
      });
      socket.on('close', () => resolve(text));
    });

  test.each(['NONSENSE\r\n\r\n', 'CONNECT localhost:80 HTTP/1.1\r\nHost: x\r\n\r\n'])('a malformed HTTP request is refused in JSON: %j', async (request) => {
    const answer = await sendRaw(request);
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).toContain('"code":"VALIDATION_ERROR"');
  });

  test.each([
    ['no Host', '', 400],
    ['one', 'Host: clinic.example:8080\r\n', 401],
    ['one that is empty', 'Host:\r\n', 401],
    ['an IPv6 address', 'Host: [::1]:8080\r\n', 401],
    ['two', 'Host: clinic.example\r\nhost: clinic.example\r\n', 400],
    ['a path', 'Host: clinic.example/x\r\n', 400],
    ['a list', 'Host: clinic.example, other.example\r\n', 400],
  ])('a request has one valid Host header: %s', async (_name, host, status) => {
    const answer = await sendRaw(`GET /api/doctors HTTP/1.1\r\n${host}Connection: close\r\n\r\n`);
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} [^]*"code":"${status === 400 ? 'VALIDATION_ERROR' : 'UNAUTHENTICATED'}"`));
  });

  test('HTTP/1.0 may omit it', async () => {
    expect(await sendRaw('GET /api/doctors HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1\.1 401 /);
  });

  test('an unknown expectation is ignored', async () => {
    const answer = await sendRaw('GET /api/doctors HTTP/1.1\r\nHost: x\r\nExpect: tea\r\nConnection: close\r\n\r\n');
    expect(answer).toMatch(/^HTTP\/1\.1 401 /);
    expect(answer).toContain('"code":"UNAUTHENTICATED"');
  });
});

describe('browsers', () => {
  test('every response has security headers and must not be cached', async () => {
    for (const path of ['/api/doctors', '/api/none']) {
      const { headers } = await fetch(gateway.url + path);
      expect(headers.get('content-security-policy')).toContain("default-src 'none'");
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('x-powered-by')).toBeNull();
      expect(headers.get('access-control-allow-origin')).toBeNull();
    }
  });

  test('only configured origins may call, with credentials', async () => {
    await reopen({ CORS_ORIGINS: 'https://app.example.com, https://admin.example.com' });
    const call = (origin: string, method = 'GET') =>
      fetch(`${gateway.url}/api/doctors`, {
        method,
        headers: { origin, ...(method === 'OPTIONS' ? { 'access-control-request-method': 'POST' } : { authorization }) },
      });
    const allowed = await call('https://admin.example.com');
    expect(allowed.headers.get('access-control-allow-origin')).toBe('https://admin.example.com');
    expect(allowed.headers.get('access-control-allow-credentials')).toBe('true');
    for (const name of ['Retry-After', 'Warning', 'Deprecation', 'Sunset', 'Content-Disposition'])
      expect(allowed.headers.get('access-control-expose-headers')).toContain(name);
    expect(allowed.headers.get('vary')).toContain('Origin');
    expect((await call('https://evil.example.com')).headers.get('access-control-allow-origin')).toBeNull();
    const preflight = await call('https://app.example.com', 'OPTIONS');
    expect(preflight.status).toBe(204);
    for (const name of ['Idempotency-Key', 'Last-Event-ID', 'Prefer', 'X-Admin-Key'])
      expect(preflight.headers.get('access-control-allow-headers')).toContain(name);
    expect((await call('https://evil.example.com', 'OPTIONS')).headers.get('access-control-allow-origin')).toBeNull();
  });

  test('a well-formed request id is returned; any other is replaced', async () => {
    const idOf = async (sent: string) => (await fetch(`${gateway.url}/api/none`, { headers: { 'x-request-id': sent } })).headers.get('x-request-id');
    expect(await idOf('abc-123_x.y')).toBe('abc-123_x.y');
    for (const odd of ['short', 'x'.repeat(65), 'a b c d e f g', '"};drop']) expect(await idOf(odd)).toMatch(/^[0-9a-f-]{36}$/);
  });

  test('large responses are compressed, small ones are not', async () => {
    const get = () =>
      new Promise<http.IncomingMessage>((resolve) =>
        http.get(`${gateway.url}/api/doctors`, { headers: { authorization, 'accept-encoding': 'gzip, br' } }, (response) => resolve(response.resume())),
      );
    expect((await get()).headers['content-encoding']).toBeUndefined();
    gateway.replies['DoctorService.listDoctors'] = () => ({ doctors: Array.from({ length: 50 }, () => ({ fullName: 'Elena' })) });
    const large = await get();
    expect(large.headers['content-encoding']).toMatch(/gzip|br/);
    expect(large.headers.vary).toContain('Accept-Encoding');
  });
});

describe('address of the client', () => {
  const ipOf = async (forwarded: string) => {
    await fetch(`${gateway.url}/api/doctors`, { headers: { authorization, 'x-forwarded-for': forwarded } });
    return gateway.calls.at(-1)?.caller.ip;
  };

  test('without trusted proxies it is the address of the socket, whatever the headers claim', async () => {
    expect(await ipOf('1.2.3.4')).toBe('127.0.0.1');
  });

  test('as many entries are trusted as there are proxies', async () => {
    await reopen({ TRUST_PROXY: '1' });
    expect(await ipOf('6.6.6.6, 1.2.3.4')).toBe('1.2.3.4');
    expect(await ipOf('nonsense')).toBe('127.0.0.1');
    // Some proxies also report the port.
    for (const port of ['', ':4711']) {
      expect(await ipOf(`1.2.3.4${port}`)).toBe('1.2.3.4');
      expect(await ipOf(`[2001:db8::7]${port}`)).toBe('2001:db8::7');
    }
    expect(await ipOf('2001:db8::7')).toBe('2001:db8::7');
    await reopen({ TRUST_PROXY: '2' });
    expect(await ipOf('6.6.6.6, 1.2.3.4, 10.0.0.1')).toBe('1.2.3.4');
    expect(await ipOf('::ffff:1.2.3.4, 10.0.0.1')).toBe('1.2.3.4');
  });
});

describe('running', () => {
  test('health and metrics are on the admin port only', async () => {
    await fetch(`${gateway.url}/api/doctors/${RECORD_ID}`, { headers: { authorization } });
    const admin = async (path: string) => {
      const response = await fetch(gateway.adminUrl + path);
      return [response.status, await response.text()];
    };
    expect(await admin('/healthz')).toEqual([200, 'ok\n']);
    expect(await admin('/readyz')).toEqual([200, 'ready\n']);
    expect(await admin('/other')).toEqual([404, '']);
    const [, metrics] = await admin('/metrics');
    expect(metrics).toContain('clinic_http_seconds_count{method="GET",route="/api/doctors/:id",status="200"}');
    expect(metrics).not.toContain(RECORD_ID);
    expect((await fetch(`${gateway.url}/metrics`)).status).toBe(404);
  });

  test('a running request is completed before the gateway stops', async () => {
    let release = () => {};
    const reached = new Promise<void>((arrived) => {
      gateway.replies['DoctorService.listDoctors'] = () =>
        new Promise((resolve) => {
          release = () => resolve({ total: 7 });
          arrived();
        });
    });
    const answer = fetch(`${gateway.url}/api/doctors`, { headers: { authorization } });
    await reached;
    const stopped = gateway.stop();
    expect((await fetch(`${gateway.adminUrl}/readyz`)).status).toBe(503);
    await expect(fetch(`${gateway.url}/api/none`)).rejects.toThrow();
    release();
    expect(await (await answer).json()).toMatchObject({ total: 7 });
    await stopped;
    await open();
  });
});

describe('the events of both webhooks', () => {
  const send = async (method: string, path: string) => {
    gateway.calls.splice(0);
    const headers = { 'x-admin-key': OPERATOR_KEY };
    const { status } = await fetch(`${gateway.url}/api/superadmin/webhook-events${path}`, { method, headers });
    return [status, ...gateway.calls.map(({ rpc }) => rpc)];
  };

  test('are listed by source, by default those of the payment provider', async () => {
    for (const path of ['', '?source=payments', '?status=unusable&source=payments&page=2'])
      expect(await send('GET', path)).toEqual([200, 'PaymentEventService.listPaymentEvents']);
    for (const path of ['?source=chat', '?limit=5&source=chat&status=unproven_number', '/chat', '/?source=chat'])
      expect(await send('GET', path)).toEqual([200, 'ChatEventService.listChatEvents']);
    for (const path of ['?source=other', '?source=chat&source=chat', '?source=chat&status=unknown_variant', '?source=payments&status=unproven_number'])
      expect(await send('GET', path)).toEqual([400]);
  });

  test('are replayed by source', async () => {
    for (const query of ['', '?source=payments'])
      expect(await send('POST', `/${RECORD_ID}/replay${query}`)).toEqual([200, 'PaymentEventService.replayPaymentEvent']);
    expect(await send('POST', `/${RECORD_ID}/replay?source=chat`)).toEqual([200, 'ChatEventService.replayChatEvent']);
  });
});
