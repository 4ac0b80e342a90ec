// No request causes a server error: every bad request gets a 4xx in the common error format, and writes nothing.
import { randomUUID } from 'node:crypto';
import { Agent } from 'node:http';
import { REASONS } from '@clinic/lib/errors/errors.ts';
import { anyCharacter } from '@clinic/lib/testing/any-text.ts';
import { publicApi } from '@clinic/lib/testing/public-api.ts';
import { rawRequest } from '@clinic/lib/testing/raw-request.ts';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { apiAt, type Body, freshKey, parse, untilAvailable } from './api.ts';
import { badBodies, badIds, badQueries, brokenBodies, brokenSegments } from './bad-requests.ts';
import { type Clinic, freshEmail, newClinic } from './clinic.ts';
import { bodyFor, furnish, idFor, queryFor, queryText, type Records } from './furnish.ts';
import { auditedFor, recordsOf } from './product-internals.ts';
import { coreOf, named, parametersOf, pathOf, type Row, rows, schemaOf } from './rows.ts';

const api = apiAt(publicApi());
const seed = Math.floor(Math.random() * 2 ** 31);
const agent = new Agent({ keepAlive: true });
const PER_ROUTE = 50;
/** The ids of all requests of this file begin with this. An audit log would contain them with everything that a request changed. */
const RUN = `bad-${randomUUID().slice(0, 8)}`;

let clinic: Clinic;
let own: Records;
let before: Record<string, string[]>;
let sent = 0;

beforeAll(async () => {
  clinic = await newClinic(api);
  own = await furnish(api, clinic);
  before = await recordsOf(publicApi(), clinic.id);
});

afterAll(async () => {
  agent.destroy();
  // The requests are not only refused, but also leave no trace.
  expect(await recordsOf(publicApi(), clinic.id)).toEqual(before);
  expect(await auditedFor(publicApi(), RUN)).toBe(0);
  expect(sent).toBeGreaterThan(2_000);
});

const withBody = rows.filter(({ request }) => request?.body);
const withQuery = rows.filter(({ request }) => request?.query);
const withIds = rows.filter((row) => parametersOf(row).length > 0);

/** Credentials that the route accepts, so that only the input can be at fault. */
function credentials({ access }: Row): Record<string, string> {
  if (access === 'superadmin') return api.operator.headers;
  return access === 'public' ? {} : { Authorization: `Bearer ${clinic.token}` };
}

/** Like a client, repeats a request whose response is 503. `fetch` would take five times the processor time, and refuse some of the headers. */
async function send(row: Row, path: string, body: unknown, headers: Record<string, string> = {}, method: string = row.method): Promise<Omit<Reply, 'what'>> {
  const known = {
    ...credentials(row),
    'X-Request-Id': `${RUN}-${sent++}`,
    'Content-Type': 'application/json',
    ...(method === 'post' && freshKey()),
    ...headers,
  };
  const content = typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body);
  const { status, text } = await untilAvailable(() => rawRequest(api.baseUrl + path, { method, headers: known, agent }, content));
  return { status, text, body: parse(text) };
}

const realId = (row: Row, name: string) => (name === 'clinicId' ? clinic.id : (idFor(own, name, row.path) ?? randomUUID()));

const goodPath = (row: Row) => pathOf(row, (name) => realId(row, name));

/** A body that would be accepted, except for an invite code that does not exist. */
function goodBody(row: Row): Body {
  const known = Object.keys(row.request?.body?.shape ?? {});
  return { ...bodyFor(row, (name) => realId(row, name)), ...(known.includes('email') && { email: freshEmail() }) };
}

const goodQuery = (row: Row) => queryText(queryFor(row));

type Reply = { what: string; status: number; text: string; body: Body };

/** Faults are reported with the request that caused them. */
function problemsOf({ what, status, text, body }: Reply): string[] {
  const problems = [
    status >= 400 && status < 500 ? '' : `status ${status}`,
    typeof body?.error === 'string' && body.error.length > 0 ? '' : 'no error sentence',
    body?.code in REASONS ? '' : `code ${body?.code}`,
    body && Object.keys(body).some((name) => !['error', 'code', 'details'].includes(name)) ? 'more than error, code and details' : '',
    body?.details === undefined || body.details.every((one: Body) => typeof one.path === 'string' && typeof one.message === 'string')
      ? ''
      : 'details of another shape',
    /"(Invalid (input|element|key)|Too (small|big)|Unrecognized)/.test(text) ? 'a message of the validation library' : '',
  ];
  return problems.filter(Boolean).map((problem) => `${problem}: ${what} → ${text.slice(0, 300)}`);
}

/** Sends each of the inputs once, however often it was generated. */
async function expectRefusals<T>(inputs: T[], send: (input: T) => Promise<Reply>): Promise<void> {
  const problems: string[] = [];
  const queue = [...new Map(inputs.map((input) => [JSON.stringify(input), input])).values()];
  const work = async () => {
    for (let input = queue.pop(); input !== undefined; input = queue.pop()) problems.push(...problemsOf(await send(input)));
  };
  await Promise.all(Array.from({ length: 8 }, work));
  expect({ seed, problems: problems.slice(0, 10) }).toEqual({ seed, problems: [] });
}

const brief = (value: unknown) => JSON.stringify(value)?.slice(0, 300);

describe('bodies with one bad field', () => {
  test.each(named(withBody))('%s', async (_name, row) => {
    const faults = fc.sample(badBodies(row.request?.body, goodBody(row)), { seed, numRuns: PER_ROUTE });
    await expectRefusals(faults, async ({ what, value }) => ({
      what: `${what} in ${brief(value)}`,
      ...(await send(row, goodPath(row), value)),
    }));
  });
});

describe('queries with one bad value', () => {
  test.each(named(withQuery))('%s', async (_name, row) => {
    const faults = fc.sample(badQueries(row.request?.query, queryFor(row)), { seed, numRuns: PER_ROUTE });
    await expectRefusals(faults, async ({ value }) => ({
      what: brief(value) ?? '',
      ...(await send(row, goodPath(row) + value, undefined)),
    }));
  });
});

describe('ranges that end before they begin', () => {
  const EARLIER: Body = { date: '2026-03-01', 'date-time': '2026-03-01T00:00:00Z' };
  const LATER: Body = { date: '2026-03-02', 'date-time': '2026-03-02T00:00:00Z' };
  const rangeOf = ({ request }: Row) => {
    const { properties = {} } = schemaOf(request?.query) ?? {};
    const names = [
      ['from', 'to'],
      ['start', 'end'],
    ].find((pair) => pair.every((name) => properties[name] && coreOf(properties[name]).format in EARLIER));
    return names?.map((name) => ({ name, format: coreOf(properties[name]).format as string }));
  };
  test.each(named(withQuery.filter(rangeOf)))('%s', async (_name, row) => {
    const [first, last] = rangeOf(row) as [{ name: string; format: string }, { name: string; format: string }];
    const query = queryText({ ...queryFor(row), [first.name]: LATER[first.format], [last.name]: EARLIER[last.format] });
    const { status, body } = await send(row, goodPath(row) + query, undefined);
    expect([status, body]).toMatchObject([400, { code: 'VALIDATION_ERROR', details: [{ path: last.name, message: `must not be before ${first.name}` }] }]);
  });
});

describe('invalid bodies', () => {
  test.each(named(withBody))('%s', async (_name, row) => {
    const path = goodPath(row) + goodQuery(row);
    await expectRefusals(brokenBodies, async ({ what, body, type }) => ({
      what,
      ...(await send(row, path, body, type === undefined ? {} : { 'Content-Type': type })),
    }));
  });
});

describe('invalid ids', () => {
  test.each(named(withIds))('%s', async (_name, row) => {
    const cases = parametersOf(row).flatMap((parameter) => [...badIds, ...brokenSegments].map((segment) => ({ parameter, segment })));
    const [query, body] = [goodQuery(row), row.request?.body && goodBody(row)];
    await expectRefusals(cases, async ({ parameter, segment }) => {
      const path = row.path.replaceAll(/:(\w+)/g, (_, name: string) => (name === parameter ? segment : realId(row, name)));
      const answer = await send(row, path + query, body);
      const status = brokenSegments.includes(segment) ? 400 : 404;
      return { what: `${path.slice(0, 200)} (expected ${status})`, ...answer, status: answer.status === status ? status : -answer.status };
    });
  });
});

describe('arbitrary JSON, for records that do not exist', () => {
  test.each(named(withBody))('%s', async (_name, row) => {
    const bodies = fc.sample(fc.jsonValue({ maxDepth: 4, stringUnit: anyCharacter }), { seed, numRuns: PER_ROUTE });
    const some = bodies.filter((body) => typeof body !== 'object' || body === null || Array.isArray(body) || Object.keys(body).length > 0);
    const needed = parametersOf(row).length > 0 || (withRequired(row) && row.access !== 'superadmin');
    if (!needed) return; // an object with unknown names only is like an empty one, and may be accepted
    await expectRefusals(some, async (body) => ({
      what: brief(body) ?? '',
      ...(await send(
        row,
        pathOf(row, () => randomUUID()),
        JSON.stringify(body),
      )),
    }));
  });

  const withRequired = (row: Row) =>
    Object.values(row.request?.body?.shape ?? {}).some((field) => !(field as { safeParse(value: unknown): { success: boolean } }).safeParse(undefined).success);
});

describe('Idempotency-Key', () => {
  test.each(named(rows.filter(({ creates }) => creates)))('%s', async (_name, row) => {
    const keys = ['', ' ', 'x'.repeat(256), 'ñ', 'a\tb'];
    await expectRefusals(keys.filter(Boolean), async (key) => ({
      what: `key ${brief(key)}`,
      ...(await send(row, goodPath(row), goodBody(row), { 'Idempotency-Key': Buffer.from(key).toString('latin1') })),
    }));
  });
});

test('paths and methods that do not exist', async () => {
  const paths = [
    '/',
    '/api',
    '/api/',
    '/api/nothing',
    '/api/doctors/',
    '/API/DOCTORS',
    '/api//doctors',
    '/api/doctors/../../etc/passwd',
    '/api/%2e%2e/x',
    '/%',
    '/api/auth/login/',
    '/.env',
    '/wp-login.php',
  ];
  const first = rows[0];
  if (!first) throw new Error('no rows');
  await expectRefusals(paths, async (path) => ({ what: path, ...(await send(first, path, {}, {}, 'post')) }));
  for (const method of ['delete', 'put', 'options', 'patch']) {
    const answer = await send(first, '/api/auth/login', undefined, {}, method);
    expect([204, 405]).toContain(answer.status);
  }
});
