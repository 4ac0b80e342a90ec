// Unknown query parameters, unknown fields of bodies and unknown values of enums, on every row of the route tables.
import { inspect } from 'node:util';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import type { Route } from '../http/route.ts';
import { areas } from '../routes/areas.ts';
import { activeState, OPERATOR_KEY, RECORD_ID, startTestGateway, type TestGateway } from '../testing/test-gateway.ts';
import { readsJson } from './input.ts';

let gateway: TestGateway;
let authorization: string;
beforeAll(async () => {
  gateway = await startTestGateway();
  authorization = `Bearer ${await gateway.token()}`;
  const features = routes.flatMap(({ feature }) => feature ?? []);
  gateway.replies['AccessService.resolveAccess'] = () => ({ ...activeState, features });
  const session = { refreshToken: 'x', refreshExpiresAt: timestampFromDate(new Date('2030-01-01T00:00:00Z')) };
  for (const rpc of ['login', 'refreshSession', 'switchUser', 'registerClinic']) gateway.replies[`SessionService.${rpc}`] = () => session;
});
afterAll(() => gateway.stop());
beforeEach(() => {
  gateway.calls.length = 0;
});

const routes = areas.flatMap((area) => area.routes);
const named = (some: Route[]) => some.map((route) => [`${route.method} ${route.path}`, route] as const);

/** Values of path parameters. The first one that the row accepts is used. */
const SAMPLES = [RECORD_ID, '50370001234', 'a'.repeat(64), 'a'.repeat(66), 'consumers', 'cat-019', 'pdf', '11', 'payments', 'png', '1'];
const pathOf = ({ path, request }: Route) =>
  path.replaceAll(/:(\w+)/g, (_, name: string) => SAMPLES.find((sample) => request.params?.shape[name]?.safeParse(sample).success) ?? `no sample for ${name}`);

type Sent = { path?: string; query?: string; body?: unknown; prefer?: string };

async function send(route: Route, { path = pathOf(route), query = '', body, prefer }: Sent) {
  const response = await fetch(gateway.url + path + query, {
    method: route.method.toUpperCase(),
    redirect: 'manual',
    headers: {
      authorization,
      'x-admin-key': OPERATOR_KEY,
      cookie: 'refresh_token=x',
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(prefer && { prefer }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json');
  const { code, details } = isJson ? (JSON.parse(text) as { code?: string; details?: { path: string; message: string }[] }) : {};
  return { status: response.status, warning: response.headers.get('warning'), code, details };
}

const VALIDATION_ERROR = { status: 400, code: 'VALIDATION_ERROR' };

describe('an unknown query parameter', () => {
  test.each(named(routes))('%s', async (_name, route) => {
    const { details = [], ...answer } = await send(route, { query: '?not_a_filter=1' });
    if (route.rate === 'feed') return expect(answer.status).toBeLessThan(400);
    expect(answer).toMatchObject(VALIDATION_ERROR);
    const known = Object.keys(route.request.query?.shape ?? {}).join(', ') || 'none';
    expect(details).toContainEqual({ path: 'not_a_filter', message: `unknown query parameter (known: ${known})` });
    expect(gateway.calls).toEqual([]);
  });

  test.each(['/api/events', '/api/openapi.json'])('%s, which has no row', async (path) => {
    const response = await fetch(`${gateway.url}${path}?not_a_filter=1`, { headers: { authorization } });
    expect([response.status, await response.json()]).toMatchObject([400, { details: [{ path: 'not_a_filter' }] }]);
  });
});

/** The value with an unknown field added to each object, and the paths of these fields, once for all elements of a list. */
function withUnknown(value: unknown, path = ''): { value: unknown; names: string[] } {
  if (Array.isArray(value)) {
    const elements = value.map((element) => withUnknown(element, path));
    return { value: elements.map((element) => element.value), names: elements[0]?.names ?? [] };
  }
  if (typeof value !== 'object' || value === null) return { value, names: [] };
  const members = Object.entries(value).map(([name, member]) => [name, withUnknown(member, `${path}${name}.`)] as const);
  return {
    value: { ...Object.fromEntries(members.map(([name, member]) => [name, member.value])), not_a_field: null },
    names: [...members.flatMap(([, member]) => member.names), `${path}not_a_field`],
  };
}

const withoutIndexes = (path: string) => path.replaceAll(/\.\d+(?=\.)/g, '');

describe('an unknown field at any depth', () => {
  // The body of this route is a map: its member names are data.
  const withBody = routes.filter((route) => readsJson(route) && route.path !== '/api/clinics/features');

  test.each(named(withBody))('%s', async (_name, route) => {
    const { value, names } = withUnknown(route.example ?? {});
    const refusal = await send(route, { body: value, prefer: 'respond-async, Handling="strict"; x=1' });
    expect(refusal).toMatchObject(VALIDATION_ERROR);
    expect(refusal.details?.map(({ path }) => withoutIndexes(path)).sort()).toEqual(names.sort());
    expect(gateway.calls).toEqual([]);
    const answer = await send(route, { body: value, prefer: 'handling=lenient' });
    if (route.access === 'superadmin') {
      expect(answer).toMatchObject(VALIDATION_ERROR);
      expect(gateway.calls).toEqual([]);
    } else {
      expect(answer.status).toBeLessThan(400);
      expect(
        withoutIndexes(answer.warning ?? '')
          .split(', ')
          .sort(),
      ).toEqual(names.map((name) => `299 - "unknown field ${name}"`).sort());
      expect(gateway.calls.length).toBeGreaterThan(0);
    }
  });

  test('at most ten are named, in printable ASCII, even if the request fails', async () => {
    const patients = routes.find(({ method, path }) => method === 'post' && path === '/api/patients') as Route;
    const names = ['né\u0007"\\', ...Array.from({ length: 20 }, (_, n) => `field${n}`)];
    const { status, warning } = await send(patients, { body: Object.fromEntries(names.map((name) => [name, 1])) });
    expect(status).toBe(400);
    expect(warning?.split(', ')).toEqual(['299 - "unknown field n??\\"\\\\"', ...names.slice(1, 10).map((name) => `299 - "unknown field ${name}"`)]);
  });

  test('the known fields are named', async () => {
    const clinic = routes.find(({ method, path }) => method === 'patch' && path === '/api/superadmin/clinics/:clinicId') as Route;
    expect(await send(clinic, { body: { isActive: false } })).toMatchObject({
      ...VALIDATION_ERROR,
      details: [{ path: 'isActive', message: 'unknown field (known: plan, expiresInDays, is_active)' }, { path: 'body' }],
    });
  });
});

test('ids in upper case reach the services in lower case, as ids are stored and published', async () => {
  const upper = (text: string) => text.replaceAll(/[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/g, (id) => id.toUpperCase());
  const received: [string, string[]][] = [];
  for (const route of routes.filter(({ path }) => !path.includes(':token'))) {
    const ids = Object.entries(route.request.query?.shape ?? {}).filter(([name, schema]) => /id$|^actor$/i.test(name) && schema.safeParse(RECORD_ID).success);
    const query = ids.length > 0 ? `?${new URLSearchParams(Object.fromEntries(ids.map(([name]) => [name, RECORD_ID.toUpperCase()])))}` : '';
    const body = route.example && readsJson(route) ? JSON.parse(upper(JSON.stringify(route.example))) : undefined;
    gateway.calls.length = 0;
    await send(route, { path: upper(pathOf(route)), query, body });
    const [call] = gateway.calls;
    const found = call ? inspect(call.request, { depth: null }).match(/[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/gi) : null;
    if (found) received.push([`${route.method} ${route.path}`, found.filter((id) => id !== id.toLowerCase())]);
  }
  expect(received.length).toBeGreaterThan(100);
  expect(received.filter(([, wrong]) => wrong.length > 0)).toEqual([]);
});

describe('a change without a known field', () => {
  const changing = routes.filter(({ method, request }) => (method === 'patch' || method === 'put') && request.body);

  test.each(named(changing))('%s', async (_name, route) => {
    for (const body of [undefined, {}, { not_a_field: 1 }]) expect(await send(route, { body })).toMatchObject(VALIDATION_ERROR);
    expect(gateway.calls).toEqual([]);
  });
});

/** The optional values of a schema, at any depth, that refuse null, and the optional choices that refuse ''. */
function refusedAbsences(schema: unknown, path = ''): string[] {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault) return refusedAbsences(schema.unwrap(), path);
  if (schema instanceof z.ZodUnion) return schema.options.flatMap((option) => refusedAbsences(option, path));
  if (schema instanceof z.ZodArray) return refusedAbsences(schema.element, `${path}[]`);
  if (!(schema instanceof z.ZodObject)) return [];
  return Object.entries(schema.shape as Record<string, z.ZodType>).flatMap(([name, member]) => {
    const isOptional = member.safeParse(undefined).success;
    const json = z.toJSONSchema(member, { io: 'input', unrepresentable: 'any' }) as Schema;
    const isChoice = [json, ...(json.anyOf ?? [])].some((part) => part.enum);
    const absences = isChoice ? [null, ''] : [null];
    const refused = isOptional ? absences.filter((value) => !member.safeParse(value).success).map((value) => `${path}.${name}: ${JSON.stringify(value)}`) : [];
    return [...refused, ...refusedAbsences(member, `${path}.${name}`)];
  });
}

describe('null, or an empty choice, means an absent value', () => {
  const posting = routes.filter(({ method, request }) => method === 'post' && request.body);
  test.each(named(posting))('%s', (_name, { request }) => {
    expect(refusedAbsences(request.body)).toEqual([]);
  });
});

type Schema = { enum?: unknown[]; properties?: Record<string, Schema>; items?: Schema; anyOf?: Schema[] };

/** The enums in a schema: the path of each, its values, and a value for the whole schema in which only this enum is wrong. */
function enumsOf(schema: Schema, path = ''): { path: string; values: unknown[]; wrong: unknown }[] {
  if (schema.enum) return [{ path, values: schema.enum.filter((value) => value !== null), wrong: 'none of them' }];
  const below = (name: string, part: Schema, wrap: (wrong: unknown) => unknown) =>
    enumsOf(part, path ? `${path}.${name}` : name).map((found) => ({ ...found, wrong: wrap(found.wrong) }));
  return [
    ...Object.entries(schema.properties ?? {}).flatMap(([name, part]) => below(name, part, (wrong) => ({ [name]: wrong }))),
    ...(schema.items ? below('0', schema.items, (wrong) => [wrong]) : []),
    ...(schema.anyOf ?? []).flatMap((part) => enumsOf(part, path)),
  ];
}

describe('an unknown value of an enum is refused with the allowed ones', () => {
  const schemaOf = (part: z.ZodType | undefined) => (part ? (z.toJSONSchema(part, { io: 'input', unrepresentable: 'any' }) as Schema) : {});
  const cases = routes.flatMap((route) => [
    ...enumsOf(schemaOf(route.request.query)).map((found) => ({ route, ...found, part: { query: `?${found.path}=none%20of%20them` } })),
    ...enumsOf(schemaOf(route.request.body)).map((found) => ({ route, ...found, part: { body: found.wrong } })),
  ]);

  test.each(cases.map((one) => [`${one.route.method} ${one.route.path} ${one.path}`, one] as const))('%s', async (_name, { route, path, values, part }) => {
    const answer = await send(route, part);
    expect(answer).toMatchObject(VALIDATION_ERROR);
    expect(answer.details).toContainEqual({ path, message: expect.stringMatching(new RegExp(`^must be .*${values.join('(, | or )')}$`)) });
  });
});
