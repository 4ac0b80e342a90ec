// HTTP behaviour for browsers, proxies and tools: headers, methods, sizes, documents and the default limits.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CUSTOM_ROUTES } from '@clinic/gateway/openapi/custom-routes.ts';
import { publicApi } from '@clinic/lib/testing/public-api.ts';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Api, apiAt, type Body } from './api.ts';
import { addDoctor, booking, type Clinic, everyDay, newClinic, PASSWORD } from './clinic.ts';
import { type OwnProduct, startOwnProduct } from './own-product.ts';
import { chromium, noChromium, startPhone } from './phone.ts';
import { nameOf, rows } from './rows.ts';

const api = apiAt(publicApi());
let clinic: Clinic;
beforeAll(async () => {
  clinic = await newClinic(api);
});

describe('every response', () => {
  test('has security headers, names no software and is not stored by caches', async () => {
    for (const answer of [await api.get('/api/doctors', clinic), await api.get('/api/nothing'), await api.post('/api/auth/login', {})]) {
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
      expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
      expect(answer.headers.get('referrer-policy')).toBe('no-referrer');
      expect(answer.headers.get('cache-control')).toBe('no-store');
      expect(answer.headers.get('x-powered-by')).toBeNull();
      expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    }
  });

  test('has an id: that of the request if it is valid, or else a new one', async () => {
    const idOf = async (sent?: string) =>
      (await api.get('/api/nothing', { headers: sent === undefined ? {} : { 'X-Request-Id': sent } })).headers.get('x-request-id');
    expect(await idOf('from-the-client-0001')).toBe('from-the-client-0001');
    const made = [await idOf(), await idOf('short'), await idOf('with blanks in it'), await idOf('x'.repeat(200))];
    for (const id of made) expect(id).toMatch(/^[0-9a-f-]{36}$/);
    expect(new Set(made).size).toBe(4);
  });

  test('is compressed when it is large and the client accepts that', async () => {
    const many = await Promise.all(
      Array.from({ length: 12 }, (_, n) => addDoctor(api, clinic, { fullName: `Doctor ${n}`, workingHours: everyDay('08:00', '12:00') })),
    );
    const plain = await api.get('/api/doctors?limit=500', clinic);
    expect(plain.headers.get('content-encoding')).toBeNull();
    expect(plain.text.length).toBeGreaterThan(4_000);
    for (const encoding of ['gzip', 'br']) {
      const headers = { Authorization: `Bearer ${clinic.token}`, 'Accept-Encoding': encoding };
      const packed = await fetch(`${api.baseUrl}/api/doctors?limit=500`, { headers });
      expect(packed.headers.get('content-encoding')).toBe(encoding);
      expect(packed.headers.get('vary')).toContain('Accept-Encoding');
      expect(await packed.json()).toEqual(plain.body);
    }
    expect((await api.get(`/api/doctors/${many[0].id}/slots?date=2020-01-01`, clinic)).headers.get('content-encoding')).toBeNull();
  });
});

describe('refusals', () => {
  test('404 in the common format for unknown paths', async () => {
    for (const path of ['/api/nothing', '/nothing', '/api/doctors/x/y/z']) {
      expect(await api.get(path, clinic)).toMatchObject({ status: 404, body: { error: expect.any(String), code: 'NOT_FOUND' } });
    }
  });

  test('405 lists the methods of each path', async () => {
    const methodsOf = new Map<string, string[]>();
    for (const { path, method } of rows) methodsOf.set(path, [...(methodsOf.get(path) ?? []), method.toUpperCase()]);
    for (const [path, methods] of methodsOf) {
      const concrete = path.replaceAll(/:\w+/g, '0198a3f2-7c1e-7d4b-9a53-2f6c1e8b4d70');
      // A literal path may also match a parameter of another row, such as /notifications and /:id.
      const wrong = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].find(
        (method) => !methods.includes(method) && !rows.some((row) => matches(row.path, concrete) && row.method.toUpperCase() === method),
      );
      if (!wrong) continue;
      const answer = await api.send(wrong, concrete, undefined, clinic);
      expect({ path, status: answer.status, code: answer.body?.code }).toEqual({ path, status: 405, code: 'METHOD_NOT_ALLOWED' });
      for (const method of methods) expect(answer.headers.get('allow')?.split(', ')).toContain(method);
    }
  });

  const matches = (pattern: string, path: string) => new RegExp(`^${pattern.replaceAll(/:\w+/g, '[^/]+')}$`).test(path);

  test('413 for a body over the limit, announced or not', async () => {
    const large = JSON.stringify({ fullName: 'x'.repeat(300_000) });
    expect(await api.post('/api/patients', large, clinic)).toMatchObject({ status: 413, body: { code: 'PAYLOAD_TOO_LARGE' } });
    const response = await fetch(`${api.baseUrl}/api/patients`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${clinic.token}`, 'Content-Type': 'application/json' },
      body: new Blob([large]).stream(),
      duplex: 'half',
    } as RequestInit);
    expect(response.status).toBe(413);
  });
});

describe('documents', () => {
  test('the public keys verify tokens and contain nothing private', async () => {
    const { status, body, headers } = await api.get('/.well-known/jwks.json');
    expect(status).toBe(200);
    expect(headers.get('cache-control')).toContain('public');
    expect(body.keys.length).toBeGreaterThan(0);
    for (const key of body.keys) {
      expect(key).toEqual({ kty: 'EC', crv: 'P-256', x: expect.any(String), y: expect.any(String), kid: expect.any(String), alg: 'ES256', use: 'sig' });
    }
    const header = JSON.parse(Buffer.from(clinic.token.split('.')[0] ?? '', 'base64url').toString());
    expect(header).toMatchObject({ alg: 'ES256', kid: body.keys[0].kid });
  });

  test('the OpenAPI document has every route with its responses and errors', async () => {
    const { status, body } = await api.get('/api/openapi.json');
    expect(status).toBe(200);
    expect(body.openapi).toMatch(/^3\.1/);
    const described = Object.entries<Body>(body.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`),
    );
    expect(described.sort()).toEqual([...rows.map(nameOf), ...CUSTOM_ROUTES.map(({ method, path }) => `${method.toUpperCase()} ${path}`)].sort());
    for (const row of rows) {
      const { responses } = body.paths[row.path.replaceAll(/:(\w+)/g, '{$1}')][row.method];
      expect(Object.keys(responses)).toEqual(expect.arrayContaining([row.redirect ? '302' : String(row.status ?? 200), '429', '500']));
      if (row.access === 'user' || row.access === 'admin') expect(Object.keys(responses)).toEqual(expect.arrayContaining(['401', '402', '403']));
    }
  });
});

// One topology is enough: limits and origins are checked by the gateway, which is the same in both.
const inOneProcess = publicApi().topology === 'single' ? describe : describe.skip;

inOneProcess('a product with the limits of the specification, two proxies in front and one friend', () => {
  const FRIEND = 'https://app.clinic.example';
  let pages: OtherOrigin[] = [];
  let product: OwnProduct;
  let limited: Api;
  beforeAll(async () => {
    const limits = { RATE_LIMIT_AUTH: '', RATE_LIMIT_DEMO: '', RATE_LIMIT_FEED: '', RATE_LIMIT_API: '' };
    pages = await Promise.all([otherOrigin(), otherOrigin()]);
    product = await startOwnProduct({ ...limits, TRUST_PROXY: '2', CORS_ORIGINS: `${FRIEND},${pages[0]?.origin}` });
    limited = apiAt(product.api);
  });
  afterAll(async () => {
    for (const page of pages) page.close();
    await product?.stop();
  });

  // Each client has its own address, as seen by the second proxy from the gateway. Addresses before it are claims of the client.
  const from = (client: string, claim = 'claimed') => ({ 'X-Forwarded-For': `${claim}, ${client}, 10.9.9.9` });
  const wrongLogin = (client: string, claim?: string, email = 'no@body.example') =>
    limited.post('/api/auth/login', { email, password: 'wrong' }, { headers: from(client, claim) });

  test('auth: ten failures in a quarter of an hour, then 429 for all requests', async () => {
    for (let attempt = 1; attempt <= 10; attempt++) {
      const answer = await wrongLogin('203.0.113.1', `198.51.100.${attempt}`);
      expect([answer.status, answer.headers.get('ratelimit-limit'), answer.headers.get('ratelimit-remaining')]).toEqual([401, '10', String(10 - attempt)]);
    }
    const refused = await wrongLogin('203.0.113.1', '198.51.100.99');
    expect(refused).toMatchObject({ status: 429, body: { error: expect.any(String), code: 'RATE_LIMITED' } });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(850);
    expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(900);
    expect(refused.headers.get('ratelimit-remaining')).toBe('0');
    expect(refused.headers.get('ratelimit-reset')).toBe(refused.headers.get('retry-after'));
    // With another account, because the guesses have locked the first one for all unknown addresses.
    expect((await wrongLogin('203.0.113.2', 'claimed', 'nobody@body.example')).status).toBe(401);
  });

  test('auth: successful requests are not counted', async () => {
    const founder = await newClinic(limited);
    for (let attempt = 0; attempt < 15; attempt++) {
      const { status } = await limited.post('/api/auth/login', { email: founder.email, password: PASSWORD }, { headers: from('203.0.113.3') });
      expect(status).toBe(200);
    }
  });

  test('everything else: a hundred requests in a quarter of an hour, counted before any check', async () => {
    const knock = () => limited.get('/api/doctors', { headers: from('203.0.113.4') });
    const answers = await Promise.all(Array.from({ length: 110 }, knock));
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(100);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(10);
    expect((await limited.get('/api/superadmin/stats', { headers: { ...limited.operator.headers, ...from('203.0.113.4') } })).status).toBe(429);
    expect((await limited.get('/api/doctors', { headers: from('203.0.113.5') })).status).toBe(401);
  });

  test('a configured origin may call with its cookie, another one may not', async () => {
    const preflight = (origin: string) =>
      limited.send('OPTIONS', '/api/auth/refresh', undefined, {
        headers: { Origin: origin, 'Access-Control-Request-Method': 'POST', 'Access-Control-Request-Headers': 'authorization' },
      });
    const friend = await preflight(FRIEND);
    expect(friend.status).toBe(204);
    expect(friend.headers.get('access-control-allow-origin')).toBe(FRIEND);
    expect(friend.headers.get('access-control-allow-credentials')).toBe('true');
    expect(friend.headers.get('access-control-allow-headers')?.toLowerCase()).toContain('authorization');
    const get = (origin: string) => limited.get('/api/doctors', { headers: { Origin: origin, ...from('203.0.113.6') } });
    expect((await get(FRIEND)).headers.get('access-control-expose-headers')).toContain('Retry-After');
    for (const origin of ['https://evil.example', 'null', `${FRIEND}.evil.example`, 'http://app.clinic.example']) {
      expect((await get(origin)).headers.get('access-control-allow-origin')).toBeNull();
      expect((await preflight(origin)).headers.get('access-control-allow-origin')).toBeNull();
    }
  });

  const inChromium = chromium ? test : test.skip;

  inChromium(
    `a page of the named origin signs in by the SDK, keeps its session, writes and follows events, another one does nothing${chromium ? '' : ` (${noChromium})`}`,
    async () => {
      const { email, password } = await newClinic(limited);
      const [friend, other] = await Promise.all(
        pages.map(async (page) => {
          page.ofProduct(product.api.baseUrl);
          const phone = await startPhone();
          await phone.open(page.origin);
          return phone;
        }),
      );
      const use = (program: string) => `(async () => {
      const { createClinic } = await import('@clinic/sdk');
      const clinic = createClinic({ baseUrl: '${product.api.baseUrl}' });
      const signIn = () => clinic.signIn(${JSON.stringify({ email, password })});
      ${program}
    })()`;
      const session = `
      await signIn();
      const later = createClinic({ baseUrl: '${product.api.baseUrl}' });
      const { user } = await later.refresh();
      const doctor = await later.post('/api/doctors', { body: ${JSON.stringify({ fullName: 'Dra. Elena Rivas', workingHours: everyDay('08:00', '12:00') })} });
      let next;
      await new Promise((onOpen) => { next = later.events({ onOpen }).next(); });
      await later.post('/api/appointments', { body: { ...${JSON.stringify(booking('', '09:00'))}, doctorId: doctor.id } });
      const { value: { event } } = await next;
      const taken = await later.get('/api/doctors/{doctorId}', { params: { path: { doctorId: crypto.randomUUID() } } }).catch((error) => error);
      return { email: user.email, event, missing: taken.code, requestId: taken.requestId };`;
      try {
        expect(await friend?.evaluate(use(session))).toEqual({ email, event: 'appointment_booked', missing: 'NOT_FOUND', requestId: expect.any(String) });
        expect(await other?.evaluate(use('return signIn().then(() => "signed in", (error) => error.name);'))).toBe('TypeError');
      } finally {
        await Promise.all([friend?.stop(), other?.stop()]);
      }
    },
  );
});

type OtherOrigin = { origin: string; ofProduct(baseUrl: string): void; close(): void };

/** A web server with the modules of the SDK and an empty page that can import them. */
async function otherOrigin(): Promise<OtherOrigin> {
  let api = '';
  const server = createServer(async ({ url = '/' }, response) => {
    const from = url === '/' ? '/desk' : url;
    const [type, text] = await fetch(api + from).then(async (answer) => [answer.headers.get('content-type'), await answer.text()] as const);
    // The page of the desk without its contents: only its import map is needed.
    response.setHeader('Content-Type', type ?? '').end(url === '/' ? text.replace(/<script type="module".*<\/script>/, '') : text);
  });
  await new Promise<void>((listening) => server.listen(0, 'localhost', listening));
  return {
    origin: `http://localhost:${(server.address() as AddressInfo).port}`,
    ofProduct: (baseUrl) => {
      api = baseUrl;
    },
    close: () => server.close().closeAllConnections(),
  };
}

test('no origin is allowed unless it is configured', async () => {
  const { headers } = await api.get('/api/doctors', { headers: { Origin: 'https://app.clinic.example' } });
  expect(headers.get('access-control-allow-origin')).toBeNull();
});
