import { createHash } from 'node:crypto';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { systemClock } from '@clinic/lib/clock/clock.ts';
import { RETRY_AFTER, ServiceError } from '@clinic/lib/errors/errors.ts';
import { type TestDatabase, testDatabase } from '@clinic/lib/testing/database.ts';
import { waitFor } from '@clinic/lib/testing/wait-for.ts';
import { afterAll, afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals';
import pg from 'pg';
import { TIMES } from '../http/times.ts';
import { activeState, CLINIC_ID, startTestGateway, type TestGateway, USER_ID } from '../testing/test-gateway.ts';

/** A slow machine does not make a gateway count for itself. */
const PATIENT = { ...TIMES, countMs: 300_000 };

let database: TestDatabase;
const gateways: TestGateway[] = [];
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.drop());
afterEach(async () => {
  jest.restoreAllMocks();
  for (const gateway of gateways.splice(0)) await gateway.stop();
  const owner = new pg.Client({ connectionString: database.ownerUrl });
  await owner.connect();
  await owner.query('truncate gateway.rate_limits');
  await owner.end();
});

async function open(env: Record<string, string>): Promise<TestGateway> {
  const gateway = await startTestGateway({ ...database.urls('gateway'), TRUST_PROXY: '1', ...env }, systemClock, PATIENT);
  gateway.replies['SessionService.login'] = (request: { password: string }) => {
    if (request.password !== 'right') throw new ServiceError('INVALID_CREDENTIALS');
    return { accessToken: 'a' };
  };
  gateways.push(gateway);
  return gateway;
}

function login(gateway: TestGateway, password: string, ip = '10.0.0.1') {
  return fetch(`${gateway.url}/api/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': ip },
    body: JSON.stringify({ email: 'ana@example.com', password }),
  });
}
const count = async (responses: Promise<Response>[]) => {
  const statuses: Record<number, number> = {};
  for (const { status } of await Promise.all(responses)) statuses[status] = (statuses[status] ?? 0) + 1;
  return statuses;
};
/** A function that expects that a refusal says when the window ends, which began after the call of this function and has so many seconds. */
function windowOf(seconds: number) {
  const began = performance.now();
  return ({ headers }: Response) => {
    const wait = Number(headers.get('retry-after'));
    expect(wait).toBeLessThanOrEqual(seconds);
    expect(wait).toBeGreaterThanOrEqual(seconds - (performance.now() - began) / 1000);
  };
}
const times = <T>(n: number, make: (index: number) => T) => Array.from({ length: n }, (_, index) => make(index));

describe('failed attempts', () => {
  test('after ten of them even the right password is refused', async () => {
    const gateway = await open({ RATE_LIMIT_AUTH: '10/900' });
    const expectWait = windowOf(900);
    for (let attempt = 1; attempt <= 10; attempt++) {
      const { status, headers } = await login(gateway, 'wrong');
      expect([status, headers.get('ratelimit-remaining')]).toEqual([401, String(10 - attempt)]);
    }
    const refused = await login(gateway, 'right');
    expect(refused.status).toBe(429);
    expect(await refused.json()).toEqual({ error: expect.any(String), code: 'RATE_LIMITED' });
    const { headers } = refused;
    expect(headers.get('ratelimit-limit')).toBe('10');
    expect(headers.get('ratelimit-remaining')).toBe('0');
    expectWait(refused);
    expect(headers.get('retry-after')).toBe(headers.get('ratelimit-reset'));
    expect((await login(gateway, 'right', '10.0.0.2')).status).toBe(200);
    expect(gateway.calls).toHaveLength(11);
  });

  test('successes do not count, whether sequential or concurrent', async () => {
    const gateway = await open({ RATE_LIMIT_AUTH: '3/900' });
    for (let i = 0; i < 8; i++) expect((await login(gateway, 'right')).headers.get('ratelimit-remaining')).toBe('3');
    expect(await count(times(30, () => login(gateway, 'right')))).toEqual({ 200: 30 });
    expect(await count(times(10, () => login(gateway, 'wrong')))).toEqual({ 401: 3, 429: 7 });
  });

  test('of 40 concurrent ones over two replicas only ten are let through', async () => {
    const [one, two] = [await open({ RATE_LIMIT_AUTH: '10/900' }), await open({ RATE_LIMIT_AUTH: '10/900' })];
    expect(await count(times(40, (index) => login(index % 2 ? one : two, 'wrong')))).toEqual({ 401: 10, 429: 30 });
    expect(await count(times(10, () => login(one, 'wrong')))).toEqual({ 429: 10 });
  });

  test('among concurrent right and wrong passwords, each wrong one counts', async () => {
    const gateway = await open({ RATE_LIMIT_AUTH: '10/900' });
    const statuses = await count(times(40, (index) => login(gateway, index % 2 ? 'right' : 'wrong')));
    expect(statuses[401]).toBe(10);
    expect(gateway.calls.filter(({ request }) => request.password === 'wrong')).toHaveLength(10);
  });

  test('internal errors, maintenance, expired tokens, missing cookies and requests that the caller may not send do not count', async () => {
    const gateway = await open({ RATE_LIMIT_AUTH: '2/900' });
    for (const reason of ['UNAVAILABLE', 'READ_ONLY', 'LIMIT_CHECK_UNAVAILABLE'] as const) {
      gateway.replies['SessionService.login'] = () => {
        throw new ServiceError(reason);
      };
      for (let i = 0; i < 3; i++) expect((await login(gateway, 'right')).status).toBe(503);
    }
    const switchUser = async (authorization: string) =>
      (await fetch(`${gateway.url}/api/auth/switch`, { method: 'POST', headers: { 'x-forwarded-for': '10.0.0.1', authorization } })).json();
    const expired = `Bearer ${await gateway.token({}, { expires: 1 })}`;
    for (let i = 0; i < 3; i++) expect(await switchUser(expired)).toMatchObject({ code: 'TOKEN_EXPIRED' });
    const current = `Bearer ${await gateway.token()}`;
    for (const [code, state] of [
      ['USER_INACTIVE', { userActive: false }],
      ['CLINIC_SUSPENDED', { clinicActive: false }],
      ['SUBSCRIPTION_EXPIRED', { subscriptionExpiresAt: timestampFromDate(new Date(0)) }],
      ['PLAN_UPGRADE_REQUIRED', {}],
    ] as const) {
      gateway.replies['AccessService.resolveAccess'] = () => ({ ...activeState, ...state });
      expect(await switchUser(current)).toMatchObject({ code });
    }
    const refresh = () => fetch(`${gateway.url}/api/auth/refresh`, { method: 'POST', headers: { 'x-forwarded-for': '10.0.0.1' } });
    for (let i = 0; i < 5; i++) expect((await refresh()).status).toBe(401);
  });

  test('an invalid body counts', async () => {
    const gateway = await open({ RATE_LIMIT_AUTH: '2/900' });
    const nonsense = () => fetch(`${gateway.url}/api/auth/login`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{' });
    expect([(await nonsense()).status, (await nonsense()).status, (await nonsense()).status]).toEqual([400, 400, 429]);
  });
});

describe('requests', () => {
  const get = (gateway: TestGateway, ip = '10.0.0.1') => fetch(`${gateway.url}/api/doctors`, { headers: { 'x-forwarded-for': ip } });

  test('the limit is checked before the token, and each request counts once', async () => {
    const gateway = await open({ RATE_LIMIT_API: '5/900' });
    const remaining: (string | null)[] = [];
    for (let i = 0; i < 7; i++) remaining.push((await get(gateway)).headers.get('ratelimit-remaining'));
    expect(remaining).toEqual(['4', '3', '2', '1', '0', '0', '0']);
    expect(await count([get(gateway), get(gateway, '10.0.0.2')])).toEqual({ 429: 1, 401: 1 });
  });

  test('replicas share the count, and concurrent requests are counted exactly', async () => {
    const [one, two] = [await open({ RATE_LIMIT_API: '20/900' }), await open({ RATE_LIMIT_API: '20/900' })];
    expect(await count(times(60, (index) => get(index % 2 ? one : two)))).toEqual({ 401: 20, 429: 40 });
  });

  test('each integration key is counted separately, whatever its address does; unknown keys are counted by address', async () => {
    const gateway = await open({ RATE_LIMIT_API: '2/900', RATE_LIMIT_KEY: '3/60' });
    const hashOf = (key: string) => createHash('sha256').update(key).digest('base64');
    const keys = ['ck_one', 'ck_two'];
    gateway.replies['AccessService.resolveKey'] = ({ keyHash }: { keyHash: Uint8Array }) => {
      const isKnown = keys.map(hashOf).includes(Buffer.from(keyHash).toString('base64'));
      return isKnown ? { key: { id: USER_ID, clinicId: CLINIC_ID, scopes: ['doctors:read'], state: { ...activeState, appRole: 'integration_key' } } } : {};
    };
    const send = (key: string, ip = '10.0.0.1') => fetch(`${gateway.url}/api/doctors`, { headers: { 'x-forwarded-for': ip, authorization: `Bearer ${key}` } });
    expect((await send('ck_one')).headers.get('ratelimit-remaining')).toBe('2');
    const unknown: number[] = [];
    for (let n = 0; n < 3; n++) unknown.push((await send(`ck_${n}`)).status);
    expect(unknown).toEqual([401, 401, 429]);
    expect([(await send('ck_one')).status, (await send('ck_one', '10.0.0.2')).status, (await send('ck_one', '10.0.0.3')).status]).toEqual([200, 200, 429]);
    expect((await send('ck_two', '10.0.0.3')).status).toBe(200);
    expect([(await get(gateway)).status, (await get(gateway)).status, (await get(gateway)).status]).toEqual([401, 401, 429]);
  });

  test('a limit per user applies in addition to the limit per address', async () => {
    const gateway = await open({ RATE_LIMIT_API: '20/900', RATE_LIMIT_USER: '2/900' });
    const [one, other] = [await gateway.token(), await gateway.token({ sub: '0198a3f2-7c1e-7d4b-9a53-0000000000aa' })];
    const send = (token: string, ip: string) => fetch(`${gateway.url}/api/doctors`, { headers: { 'x-forwarded-for': ip, authorization: `Bearer ${token}` } });
    const statuses = [(await send(one, '10.0.0.1')).status, (await send(one, '10.0.0.2')).status, (await send(one, '10.0.0.3')).status];
    expect(statuses).toEqual([200, 200, 429]);
    const refused = await send(one, '10.0.0.1');
    expect([refused.status, await refused.json()]).toEqual([
      429,
      { error: expect.stringContaining('A user may send 2 requests in 900 seconds'), code: 'RATE_LIMITED' },
    ]);
    const headers = ['policy', 'limit', 'remaining', 'reset'].map((name) => refused.headers.get(`ratelimit-${name}`));
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(headers).toEqual(['2;w=900', '2', '0', refused.headers.get('retry-after')]);
    expect((await send(other, '10.0.0.1')).headers.get('ratelimit-limit')).toBe('20'); // of the address
  });

  test('each group has its own count', async () => {
    const gateway = await open({ RATE_LIMIT_API: '1/900', RATE_LIMIT_AUTH: '1/900' });
    await get(gateway);
    expect((await get(gateway)).status).toBe(429);
    expect((await login(gateway, 'right')).status).toBe(200);
  });

  test('views of the pages of patients are counted separately from submissions, and both separately from other requests of the address', async () => {
    const gateway = await open({ RATE_LIMIT_BOOKING: '5/900', RATE_LIMIT_API: '100/900' });
    const left = async (path: string, form?: URLSearchParams) => {
      const sent = form ? { method: 'POST', body: form, redirect: 'manual' as const } : {};
      return (await fetch(gateway.url + path, { ...sent, headers: { 'x-forwarded-for': '10.0.0.1' } })).headers.get('ratelimit-remaining');
    };
    const views = ['/book/x', '/api/public/clinics/x', '/manage/x', '/check-in/x', '/forms/x', `/api/public/forms/${'a'.repeat(66)}`];
    for (const [index, view] of views.entries()) expect([view, await left(view)]).toEqual([view, String(Math.max(0, 4 - index))]);
    const form = new URLSearchParams({ action: 'cancel' });
    const confirm = `/api/public/clinics/x/bookings/${CLINIC_ID}/confirm`;
    const sent = ['/manage/x', confirm, '/book/x', '/api/check-in/x', `/api/public/forms/${'a'.repeat(66)}/sign`, '/manage/x'];
    for (const [index, path] of sent.entries()) expect([path, await left(path, form)]).toEqual([path, String(Math.max(0, 4 - index))]);
    expect(await left('/api/doctors')).toBe('99');
  });

  test('the count starts again after the window', async () => {
    const gateway = await open({ RATE_LIMIT_API: '1/900' });
    await get(gateway);
    const refused = await get(gateway);
    expect(refused.status).toBe(429);
    const now = Date.now;
    const clock = jest.spyOn(Date, 'now').mockImplementation(() => now() + 450_000);
    expect((await get(gateway)).status).toBe(429);
    clock.mockImplementation(() => now() + Number(refused.headers.get('retry-after')) * 1000);
    expect((await get(gateway)).status).toBe(401);
  });

  test('a window that began before the clock was set back is deleted, even if its client sends requests meanwhile', async () => {
    const gateway = await open({ RATE_LIMIT_API: '1/900' });
    await get(gateway);
    expect((await get(gateway)).status).toBe(429);
    const owner = new pg.Client({ connectionString: database.ownerUrl });
    await owner.connect();
    // Locks a row that the deletion of such windows also deletes, so that the deletion waits.
    await owner.query(`insert into gateway.rate_limits (key, points, expire) values ('api:another', 1, $1)`, [Date.now() + 900_000]);
    await owner.query('begin');
    await owner.query(`select from gateway.rate_limits where key = 'api:another' for update`);
    const before = Date.now;
    jest.spyOn(Date, 'now').mockImplementation(() => before() - 3 * 3_600_000);
    await waitFor(async () => (await owner.query('select from pg_locks where not granted and pg_backend_pid() = any(pg_blocking_pids(pid))')).rows.length > 0);
    expect((await get(gateway)).status).toBe(429);
    await owner.query('commit');
    await owner.end();
    await waitFor(async () => expect((await get(gateway)).status).toBe(401));
  });

  test('the connections of the store are among the metrics', async () => {
    const gateway = await open({ RATE_LIMIT_API: '5/900' });
    await get(gateway);
    expect(await (await fetch(`${gateway.adminUrl}/metrics`)).text()).toMatch(/clinic_db_connections_max\{schema="gateway"\} [1-9]/);
  });

  test('with the setting off there is no limit and no header', async () => {
    const gateway = await open({});
    const { headers } = await get(gateway);
    expect(headers.get('ratelimit-limit')).toBeNull();
  });

  test('while the store is unavailable each replica counts for itself', async () => {
    const gateway = await open({ RATE_LIMIT_API: '5/900', RATE_LIMIT_AUTH: '2/900', DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' });
    expect(await count(times(8, () => get(gateway)))).toEqual({ 401: 5, 429: 3 });
    expect(await count(times(8, () => login(gateway, 'wrong')))).toEqual({ 401: 2, 429: 6 });
    expect(await count(times(8, () => login(gateway, 'right', '10.0.0.9')))).toEqual({ 200: 8 });
  });
});

describe('other routes of sessions', () => {
  const post = (gateway: TestGateway, path: string, headers: Record<string, string>, body?: object) =>
    fetch(`${gateway.url}/api/auth/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': '10.0.0.1', ...headers },
      ...(body && { body: JSON.stringify(body) }),
    });

  test('sessions are refreshed and ended at an address whose sign-ins are refused', async () => {
    const gateway = await open({ RATE_LIMIT_AUTH: '2/900' });
    expect(await count(times(3, () => login(gateway, 'wrong')))).toEqual({ 401: 2, 429: 1 });
    for (let i = 0; i < 4; i++) for (const path of ['refresh', 'logout']) expect((await post(gateway, path, { cookie: 'refresh_token=t' })).status).toBe(200);
  });

  test('a valid session is refreshed and ended at an address whose refreshes with invalid tokens are refused', async () => {
    const gateway = await open({ RATE_LIMIT_AUTH: '2/900' });
    gateway.replies['SessionService.refreshSession'] = ({ refreshToken }: { refreshToken: string }) => {
      if (refreshToken !== 'valid') throw new ServiceError('INVALID_REFRESH_TOKEN');
      return { accessToken: 'a' };
    };
    const refresh = (token: string) => post(gateway, 'refresh', { cookie: `refresh_token=${token}` });
    for (const status of [401, 401, 429, 429]) expect((await refresh('old')).status).toBe(status);
    expect((await refresh('valid')).status).toBe(200);
    expect((await post(gateway, 'logout', { cookie: 'refresh_token=valid' })).status).toBe(200);
  });

  test('a limit of the service is not described by the headers of the limit of the address', async () => {
    const gateway = await open({ RATE_LIMIT_AUTH: '10/900' });
    gateway.replies['SessionService.login'] = () => {
      throw new ServiceError('RATE_LIMITED', undefined, [{ path: RETRY_AFTER, message: '60' }]);
    };
    const { status, headers } = await login(gateway, 'right');
    expect([status, headers.get('retry-after'), headers.get('ratelimit-remaining')]).toEqual([429, '60', null]);
  });

  test('five mails with a link may be requested in an hour from an address, besides failed attempts', async () => {
    const gateway = await open({ RATE_LIMIT_AUTH: '2/900' });
    const expectWait = windowOf(3_600);
    const forgot = (ip: string, email = 'ana@example.com') => post(gateway, 'forgot-password', { 'x-forwarded-for': ip }, { email });
    for (let i = 0; i < 5; i++) expect((await forgot('10.0.0.1')).status).toBe(200);
    const refused = await forgot('10.0.0.1');
    expect(refused.status).toBe(429);
    expectWait(refused);
    expect((await login(gateway, 'right')).status).toBe(200);
    for (const status of [400, 400, 429]) expect((await forgot('10.0.0.2', 'nonsense')).status).toBe(status);
  });
});

test('IPv6 clients are counted by /56 network', async () => {
  const gateway = await open({ RATE_LIMIT_AUTH: '2/900' });
  expect(await count(times(4, (index) => login(gateway, 'wrong', `2001:db8:1:2${index}0::1`)))).toEqual({ 401: 2, 429: 2 });
  expect((await login(gateway, 'right', '2001:db8:1:300::1')).status).toBe(200);
});

test('a device that identity knows may sign in even after its address has used up the limit', async () => {
  const gateway = await open({ RATE_LIMIT_AUTH: '2/900' });
  const expectWait = windowOf(900);
  gateway.replies['SessionService.login'] = ({ device, rateLimited, password }: { device: string; rateLimited: boolean; password: string }) => {
    if (rateLimited && device !== 'known') throw new ServiceError('RATE_LIMITED');
    if (password !== 'right') throw new ServiceError('INVALID_CREDENTIALS');
    return { accessToken: 'a', refreshToken: 'r', deviceToken: 'known' };
  };
  const withDevice = (device: string, password = 'right') =>
    fetch(`${gateway.url}/api/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': '10.0.0.1', cookie: `device=${device}` },
      body: JSON.stringify({ email: 'ana@example.com', password }),
    });
  expect(await count(times(3, () => login(gateway, 'wrong')))).toEqual({ 401: 2, 429: 1 });
  const admitted = await withDevice('known');
  expect([admitted.status, admitted.headers.get('retry-after')]).toEqual([200, null]);
  expect(admitted.headers.getSetCookie()).toEqual([expect.stringMatching(/^refresh_token=r;/), expect.stringMatching(/^device=known;.*HttpOnly/)]);
  expect((await withDevice('known', 'wrong')).status).toBe(401);
  const refused = await withDevice('other');
  expect(refused.status).toBe(429);
  expectWait(refused);
});
