import { ServiceError } from '@clinic/lib/errors/errors.ts';
import { type TestDatabase, testDatabase } from '@clinic/lib/testing/database.ts';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { startTestGateway, type TestGateway } from '../testing/test-gateway.ts';
import { clientKey } from './limits.ts';

let database: TestDatabase;
const doors: TestGateway[] = [];
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.drop());
afterEach(async () => {
  for (const door of doors.splice(0)) await door.stop();
  const owner = new pg.Client({ connectionString: database.ownerUrl });
  await owner.connect();
  await owner.query('truncate gateway.rate_limits');
  await owner.end();
});

async function open(env: Record<string, string>): Promise<TestGateway> {
  const door = await startTestGateway({ DATABASE_URL: database.url('gateway'), TRUST_PROXY: '1', ...env });
  door.replies['SessionService.login'] = (request: { password: string }) => {
    if (request.password !== 'right') throw new ServiceError('INVALID_CREDENTIALS');
    return { accessToken: 'a' };
  };
  doors.push(door);
  return door;
}

function login(door: TestGateway, password: string, ip = '10.0.0.1') {
  return fetch(`${door.url}/api/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': ip },
    body: JSON.stringify({ email: 'ana@example.com', password }),
  });
}
const count = async (answers: Promise<Response>[]) => {
  const statuses: Record<number, number> = {};
  for (const { status } of await Promise.all(answers)) statuses[status] = (statuses[status] ?? 0) + 1;
  return statuses;
};
const times = <T>(n: number, make: (index: number) => T) => Array.from({ length: n }, (_, index) => make(index));

describe('failed attempts', () => {
  test('ten count, then even the right password waits', async () => {
    const door = await open({ RATE_LIMIT_AUTH: '10/900' });
    for (let attempt = 1; attempt <= 10; attempt++) {
      const { status, headers } = await login(door, 'wrong');
      expect([status, headers.get('ratelimit-remaining')]).toEqual([401, String(10 - attempt)]);
    }
    const refused = await login(door, 'right');
    expect(refused.status).toBe(429);
    expect(await refused.json()).toEqual({ error: expect.any(String), code: 'RATE_LIMITED' });
    const { headers } = refused;
    expect(headers.get('ratelimit-limit')).toBe('10');
    expect(headers.get('ratelimit-remaining')).toBe('0');
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(890);
    expect(headers.get('retry-after')).toBe(headers.get('ratelimit-reset'));
    expect((await login(door, 'right', '10.0.0.2')).status).toBe(200);
    expect(door.calls).toHaveLength(11);
  });

  test('successes do not count, one after the other or all at once', async () => {
    const door = await open({ RATE_LIMIT_AUTH: '3/900' });
    for (let i = 0; i < 8; i++) expect((await login(door, 'right')).headers.get('ratelimit-remaining')).toBe('3');
    expect(await count(times(30, () => login(door, 'right')))).toEqual({ 200: 30 });
    expect(await count(times(10, () => login(door, 'wrong')))).toEqual({ 401: 3, 429: 7 });
  });

  test('40 at once do not get past ten, also over two replicas', async () => {
    const [one, two] = [await open({ RATE_LIMIT_AUTH: '10/900' }), await open({ RATE_LIMIT_AUTH: '10/900' })];
    expect(await count(times(40, (index) => login(index % 2 ? one : two, 'wrong')))).toEqual({ 401: 10, 429: 30 });
    expect(await count(times(10, () => login(one, 'wrong')))).toEqual({ 429: 10 });
  });

  test('right and wrong ones at once: each wrong one counts', async () => {
    const door = await open({ RATE_LIMIT_AUTH: '10/900' });
    const statuses = await count(times(40, (index) => login(door, index % 2 ? 'right' : 'wrong')));
    expect(statuses[401]).toBe(10);
    expect(door.calls.filter(({ request }) => request.password === 'wrong')).toHaveLength(10);
  });

  test('our own trouble is not a failed attempt, a missing cookie neither', async () => {
    const door = await open({ RATE_LIMIT_AUTH: '2/900' });
    door.replies['SessionService.login'] = () => {
      throw new ServiceError('UNAVAILABLE');
    };
    for (let i = 0; i < 5; i++) expect((await login(door, 'right')).status).toBe(503);
    const refresh = () => fetch(`${door.url}/api/auth/refresh`, { method: 'POST', headers: { 'x-forwarded-for': '10.0.0.1' } });
    for (let i = 0; i < 5; i++) expect((await refresh()).status).toBe(401);
  });

  test('a body that is refused is a failed attempt', async () => {
    const door = await open({ RATE_LIMIT_AUTH: '2/900' });
    const nonsense = () => fetch(`${door.url}/api/auth/login`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{' });
    expect([(await nonsense()).status, (await nonsense()).status, (await nonsense()).status]).toEqual([400, 400, 429]);
  });
});

describe('requests', () => {
  const get = (door: TestGateway, ip = '10.0.0.1') => fetch(`${door.url}/api/doctors`, { headers: { 'x-forwarded-for': ip } });

  test('the limit comes before the token, and counts each request once', async () => {
    const door = await open({ RATE_LIMIT_API: '5/900' });
    const remaining: (string | null)[] = [];
    for (let i = 0; i < 7; i++) remaining.push((await get(door)).headers.get('ratelimit-remaining'));
    expect(remaining).toEqual(['4', '3', '2', '1', '0', '0', '0']);
    expect(await count([get(door), get(door, '10.0.0.2')])).toEqual({ 429: 1, 401: 1 });
  });

  test('replicas count together, and requests at once are counted exactly', async () => {
    const [one, two] = [await open({ RATE_LIMIT_API: '20/900' }), await open({ RATE_LIMIT_API: '20/900' })];
    expect(await count(times(60, (index) => get(index % 2 ? one : two)))).toEqual({ 401: 20, 429: 40 });
  });

  test('groups do not share', async () => {
    const door = await open({ RATE_LIMIT_API: '1/900', RATE_LIMIT_AUTH: '1/900' });
    await get(door);
    expect((await get(door)).status).toBe(429);
    expect((await login(door, 'right')).status).toBe(200);
  });

  test('the window ends', async () => {
    const door = await open({ RATE_LIMIT_API: '1/1' });
    await get(door);
    const refused = await get(door);
    expect(refused.status).toBe(429);
    await new Promise((resolve) => setTimeout(resolve, Number(refused.headers.get('retry-after')) * 1000 + 20));
    expect((await get(door)).status).toBe(401);
  });

  test('off means no limit and no headers', async () => {
    const door = await open({});
    const { headers } = await get(door);
    expect(headers.get('ratelimit-limit')).toBeNull();
  });

  test('while the store is away each replica counts for itself', async () => {
    const door = await open({ RATE_LIMIT_API: '5/900', RATE_LIMIT_AUTH: '2/900', DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' });
    expect(await count(times(8, () => get(door)))).toEqual({ 401: 5, 429: 3 });
    expect(await count(times(8, () => login(door, 'wrong')))).toEqual({ 401: 2, 429: 6 });
    expect(await count(times(8, () => login(door, 'right', '10.0.0.9')))).toEqual({ 200: 8 });
  });
});

test('an IPv6 client is its /64', () => {
  expect(clientKey('2001:db8:1:2:3:4:5:6')).toBe('2001:db8:1:2');
  expect(clientKey('2001:DB8:1:2::1')).toBe('2001:db8:1:2');
  expect(clientKey('2001:0db8:1::1')).toBe('2001:db8:1:0');
  expect(clientKey('::1')).toBe('0:0:0:0');
  expect(clientKey('10.0.0.1')).toBe('10.0.0.1');
});
