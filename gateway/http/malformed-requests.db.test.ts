// Thousands of malformed requests to all routes: the response is never a 5xx, every error is well-formed, and a refused request reaches no
// service.
import { Agent } from 'node:http';
import { anyText } from '@clinic/lib/testing/any-text.ts';
import { rawRequest } from '@clinic/lib/testing/raw-request.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { ZodObject } from 'zod';
import { areas } from '../routes/areas.ts';
import { OPERATOR_KEY, RECORD_ID, startTestGateway, type TestGateway } from '../testing/test-gateway.ts';
import type { Route } from './route.ts';

let gateway: TestGateway;
let authorization: string;
beforeAll(async () => {
  gateway = await startTestGateway();
  authorization = `Bearer ${await gateway.token()}`;
});
afterAll(async () => {
  agent.destroy();
  await gateway.stop();
});

const agent = new Agent({ keepAlive: true });

const hostile = fc.oneof(
  fc.constantFrom<unknown>(
    '',
    ' ',
    '\0',
    'a\0b',
    '\ud800',
    'x'.repeat(6000),
    '2026-02-30',
    '2026-02-31T25:00:00Z',
    '24:00',
    '9:5',
    '-1',
    '1e309',
    'NaN',
    'null',
    'true',
  ),
  fc.constantFrom<unknown>("' or 1=1 --", '$1', '../..', '{{x}}', '<script>', '%00', '%', '٣', '+', 'ＤＵＩ', RECORD_ID, RECORD_ID.toUpperCase()),
  fc.constantFrom<unknown>(null, true, 0, -0, 1.5, -1, 2 ** 31, 2 ** 53, 1e308, [], {}, [null], { length: 1 }, [[[]]]),
  anyText,
  fc.jsonValue({ maxDepth: 4 }),
  fc.date().map((date) => (Number.isNaN(date.getTime()) ? 'Invalid Date' : date.toISOString())),
);

const keysOf = (schema: ZodObject | undefined) => Object.keys(schema?.shape ?? {});
const some = (keys: string[], values: fc.Arbitrary<unknown>) =>
  fc.record(Object.fromEntries(keys.map((key) => [key, values])), { requiredKeys: [] }) as fc.Arbitrary<Record<string, unknown>>;

/** The example of the row with some fields replaced by hostile values, or text that may not even be JSON. */
function bodies(route: Route): fc.Arbitrary<string | undefined> {
  const keys = keysOf(route.request.body);
  if (keys.length === 0) return fc.constant(undefined);
  const changed = some([...keys, 'clinic_id', 'toString'], hostile).map((changes) => JSON.stringify({ ...route.example, ...changes }));
  return fc.oneof(
    { weight: 5, arbitrary: changed },
    fc.json(),
    fc.string(),
    fc.constantFrom('{', '[]', '{"__proto__":1}', '{"a":1,"a":1}', '\u0000', '"\\ud800"'),
  );
}

const encode = (value: unknown) => encodeURIComponent((typeof value === 'string' ? value : (JSON.stringify(value) ?? 'undefined')).toWellFormed());
const hostileText = fc.oneof(hostile.map(encode), fc.constantFrom('%ff', '%', '%00', '%ED%A0%80', '%2F', '%2e%2e'));

/** Parts that the route does not have are always the same. */
function requests(route: Route) {
  const { length } = route.path.match(/:\w+/g) ?? [];
  return fc.record({
    ids: fc.array(
      fc.oneof(
        { weight: 3, arbitrary: fc.constant(RECORD_ID) },
        hostileText.filter((text) => text !== '' && text !== '.' && text !== '..'),
      ),
      { minLength: length, maxLength: length },
    ),
    query: some(keysOf(route.request.query), hostileText),
    body: bodies(route),
    cookies: some(keysOf(route.request.cookies), hostileText),
  });
}

test.each(areas.flatMap(({ routes }) => routes).map((route) => [`${route.method} ${route.path}`, route] as const))('%s', async (_name, route) => {
  await fc.assert(
    fc.asyncProperty(requests(route), async ({ ids, query, body, cookies }) => {
      const left = [...ids];
      const path = route.path.replaceAll(/:\w+/g, () => left.pop() ?? RECORD_ID);
      const pairs = (values: Record<string, unknown>) => Object.entries(values).map(([name, value]) => `${name}=${value}`);
      gateway.calls.length = 0;
      const headers = {
        authorization,
        'x-admin-key': OPERATOR_KEY,
        'content-type': 'application/json',
        cookie: pairs(cookies).join('; '),
      };
      const options = { path: `${path}?${pairs(query).join('&')}`, method: route.method.toUpperCase(), headers, agent };
      const { status, text } = await rawRequest(gateway.url, options, body);
      if (status >= 500) throw new Error(`${status}: ${text}`);
      if (status < 300) return;
      const refused = { ...JSON.parse(text), calls: gateway.calls };
      expect(refused).toMatchObject({ error: expect.any(String), code: expect.stringMatching(/^[A-Z_]+$/), calls: [] });
    }),
    { numRuns: 30, ignoreEqualValues: true },
  );
});
