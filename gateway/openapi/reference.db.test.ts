import { readFileSync } from 'node:fs';
import { REASONS, type Reason } from '@clinic/lib/errors/errors.ts';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { Validator } from '@seriousme/openapi-schema-validator';
import { LIVE_EVENTS } from '../live/live-event.ts';
import { areas } from '../routes/areas.ts';
import { startTestGateway, type TestGateway } from '../testing/test-gateway.ts';
import { CUSTOM_ROUTES, CUSTOM_TAGS } from './custom-routes.ts';
import { openApiDocument } from './document.ts';
import { EXAMPLES } from './examples.ts';
import { operationIdOf } from './operation-id.ts';
import { errorsPage } from './pages/errors.ts';
import { withRoutes } from './pages/routes.ts';
import { rpcsPage } from './pages/rpcs.ts';
import { reasonsOf } from './reasons.ts';

const routes = areas.flatMap((area) => area.routes);
const document = openApiDocument(areas, 'https://api.clinic.test');
type Node = { [key: string]: Node };
const root = JSON.parse(JSON.stringify(document)) as Node;

function* nodes(node: unknown): Generator<Node> {
  if (typeof node !== 'object' || node === null) return;
  yield node as Node;
  for (const child of Object.values(node)) yield* nodes(child);
}
/** The verbs of titles, one verb for each kind of action. Add a new verb here only if none of these fits. */
const VERBS = [
  'Get|List|Search|Count|Compare|Preview|Download|Export|Open|Stream', // reads
  'Create|Add|Upload|Record|Register|Book|Import|Generate|Issue|Request|Start|Ask|Hold|Deliver', // creates
  'Update|Set|Replace|Change|Turn|Reschedule|Merge|Mark|Correct|Verify|Confirm|Accept|Choose|Decline|Dismiss|Reject|Reply|Send', // changes
  'Delete|Remove|Archive|Restore|Deactivate|Cancel|Void|Revoke|Undo|Invalidate|Disconnect|Release|Return|Take over|Replay|End', // ends
  'Sign|Switch|Refresh|Reset|Check in|Opt', // persons
].join('|');
/** Lists that are returned as a whole or, for messages, backwards from an instant, and therefore have no pages. */
const WITHOUT_PAGES = [
  '/api/public/clinics/:slug/availability',
  '/api/public/clinics/:slug/slots',
  // as the specification shows them
  '/api/doctors/:doctorId/slots',
  '/api/dental/recall-campaigns',
  '/api/faq',
  '/api/superadmin/clinics',
  '/api/superadmin/invite-codes',
  '/api/superadmin/demo-requests',
  // catalogues, settings and calendars
  '/api/canned-replies',
  '/api/chat/texts',
  '/api/conversations/:phone/messages',
  '/api/dental/findings',
  '/api/dental/prices',
  '/api/doctors/:doctorId/availability',
  '/api/dte/catalogs/:code',
];
const resolve = (ref: string) =>
  ref
    .slice(2)
    .split('/')
    .reduce<Node | undefined>((node, key) => node?.[key], root);

describe('the OpenAPI document', () => {
  test('is valid OpenAPI 3.1, by the schema of its standard', async () => {
    const validator = new Validator();
    expect(await validator.validate(root)).toEqual({ valid: true });
    expect(validator.version).toBe('3.1');
  });

  test('passes the linter', async () => {
    // Ids are UUIDs, so that no request matches two of the paths that the rule finds: /api/patients/imports/{id} and /api/patients/{id}/restore.
    const config = await createConfig({ extends: ['recommended'], rules: { 'no-ambiguous-paths': 'off' } });
    // The linter compares examples with their schemas: after adding a field, record them again (npm run examples).
    const problems = await lintFromString({ source: JSON.stringify(root), absoluteRef: '/openapi.json', config });
    expect(problems.map(({ ruleId, message, location }) => `${ruleId} at ${location[0]?.pointer}: ${message}`)).toEqual([
      expect.stringMatching(/^operation-2xx-response at .*~1calendar~1open~1/), // a redirect
    ]);
  });

  test('has every route once, with a unique operation id, a title and tags', () => {
    const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
    );
    expect(operations.map(({ path, method }) => `${method} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`).sort()).toEqual(
      [...routes, ...CUSTOM_ROUTES].map(({ method, path }) => `${method} ${path}`).sort(),
    );
    expect(new Set(operations.map(({ operation }) => operation.operationId)).size).toBe(routes.length + CUSTOM_ROUTES.length);
    for (const { operation } of operations) expect(operation).toMatchObject({ summary: expect.any(String), tags: [expect.any(String)] });
  });

  test('every title is a short imperative without a full stop', () => {
    for (const methods of Object.values(document.paths))
      for (const { summary } of Object.values(methods)) {
        expect(String(summary).length).toBeLessThanOrEqual(60);
        expect(summary).toMatch(new RegExp(`^(${VERBS}) ?[^.]*$`));
      }
  });

  test('tags are unique, each in one group', () => {
    const names = (document.tags as { name: string }[]).map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    const groups = document['x-tagGroups'] as { tags: string[] }[];
    expect(groups.flatMap(({ tags }) => tags)).toEqual(names);
    expect([...areas.map(({ tag }) => tag), ...CUSTOM_TAGS.map(({ name }) => name)].sort()).toEqual([...names].sort());
  });

  test('every $ref resolves', () => {
    const refs = [...nodes(root)].flatMap(({ $ref }) => (typeof $ref === 'string' ? [$ref as string] : []));
    expect(refs.length).toBeGreaterThan(100);
    expect(refs.filter((ref) => typeof resolve(ref) !== 'object')).toEqual([]);
  });

  test('every parameter of a path is described', () => {
    for (const [path, methods] of Object.entries(root.paths ?? {}))
      for (const operation of Object.values(methods)) {
        const named = Object.values(operation.parameters ?? {}).filter((parameter) => (parameter.in as unknown) === 'path');
        expect(named.map(({ name }) => `{${name}}`).sort()).toEqual((path.match(/\{\w+\}/g) ?? []).sort());
      }
  });

  test('every error of a row is listed under its status', () => {
    const missing = routes.flatMap((route) => {
      const operation = root.paths?.[route.path.replaceAll(/:(\w+)/g, '{$1}')]?.[route.method];
      const isListed = (reason: Reason) => {
        const response = resolve(String(operation?.responses?.[String(REASONS[reason].http)]?.$ref));
        return reason in (response?.content?.['application/json']?.examples ?? {});
      };
      return reasonsOf(route)
        .filter((reason) => !isListed(reason))
        .map((reason) => `${route.method} ${route.path}: ${reason}`);
    });
    expect(missing).toEqual([]);
  });

  test('every field of every response has a description, and none is internal', () => {
    const undescribedFields = Object.entries(root.components?.schemas ?? {}).flatMap(([name, schema]) =>
      Object.entries(schema.properties ?? {})
        .filter(([, property]) => !(property.description ?? property.items))
        .map(([field]) => `${name}.${field}`),
    );
    expect(undescribedFields).toEqual([]);
    expect(Object.keys(root.components?.schemas?.Session?.properties ?? {})).not.toContain('refresh_token');
  });

  test('every parameter and every field of a body has a description, at any depth', () => {
    const undescribed = (schema: Node | undefined, path: string): string[] =>
      Object.entries(schema?.properties ?? {}).flatMap(([name, property]) => [
        ...(property.description ? [] : [`${path} ${name}`]),
        ...undescribed(property, `${path} ${name}`),
        ...undescribed(property.items, `${path} ${name}`),
      ]);
    for (const [path, methods] of Object.entries(root.paths ?? {}))
      for (const [method, operation] of Object.entries(methods)) {
        const name = `${method} ${path}`;
        const parameters = Object.values(operation.parameters ?? {}).filter(({ description }) => !description);
        expect([name, ...parameters.map((parameter) => parameter.name)]).toEqual([name]);
        if (!path.startsWith('/webhooks/')) expect(undescribed(operation.requestBody?.content?.['application/json']?.schema, name)).toEqual([]);
      }
  });

  test('every list takes page and limit, and returns them together with the total', () => {
    const lists = routes.filter(({ method, rpc, path }) => method === 'get' && rpc.name.startsWith('List') && !WITHOUT_PAGES.includes(path));
    expect(lists.length).toBeGreaterThan(20);
    for (const { path, request, rpc } of lists) {
      expect([path, Object.keys(request.query?.shape ?? {})]).toEqual([path, expect.arrayContaining(['page', 'limit'])]);
      expect([path, Object.keys(root.components?.schemas?.[rpc.output.name]?.properties ?? {})]).toEqual([
        path,
        expect.arrayContaining(['total', 'page', 'limit']),
      ]);
    }
    expect(WITHOUT_PAGES.filter((path) => !routes.some((route) => route.path === path))).toEqual([]);
  });

  test('operations are named after their RPCs', () => {
    const idOf = (path: string, method: string) => document.paths[path]?.[method]?.operationId;
    expect(idOf('/api/appointments', 'post')).toBe('bookAppointment');
    expect(idOf('/api/patients/{patientId}/files', 'post')).toBe('uploadPatientFile');
    expect(idOf('/api/events', 'get')).toBe('streamEvents');
  });

  test('a field of a response names all its values, its format, and null', () => {
    const field = (schema: string, name: string) => root.components?.schemas?.[schema]?.properties?.[name];
    expect(field('Appointment', 'status')).toMatchObject({ type: 'string', enum: ['confirmed', 'pending', 'completed', 'cancelled', 'no_show'] });
    expect(field('Patient', 'gender')).toMatchObject({ type: ['string', 'null'], enum: ['female', 'male', 'other', null] });
    expect(field('Patient', 'birth_date')).toMatchObject({ type: ['string', 'null'], format: 'date' });
    expect(field('User', 'email')).toMatchObject({ type: 'string', format: 'email' });
  });

  test('the live stream names each event and the form of its data', () => {
    const { schemas } = document.components;
    const variants = (schemas?.LiveEvent?.oneOf ?? []) as Node[];
    expect(variants.map(({ properties }) => properties?.event?.const)).toEqual(LIVE_EVENTS.map(({ name }) => name));
    expect(schemas?.AppointmentBooked).toMatchObject({ type: 'object', properties: { appointment: { $ref: '#/components/schemas/AppointmentState' } } });
    const conversation = variants.find(({ title }) => String(title) === 'conversation_updated');
    expect(conversation?.properties?.data).toMatchObject({ allOf: [{ $ref: '#/components/schemas/ConversationUpdated' }, { required: ['phone'] }] });
  });

  test('a file that the client has is 304, and an unavailable service says when to retry', () => {
    const { responses } = root.paths?.['/api/patients/{patientId}/files/{id}/content']?.get ?? {};
    expect(Object.keys(responses ?? {})).toEqual(expect.arrayContaining(['200', '304', '503']));
    expect(resolve(String(responses?.['503']?.$ref))?.headers).toHaveProperty('Retry-After');
    expect(Object.keys(root.paths?.['/api/doctors']?.get?.responses ?? {})).not.toContain('304');
  });

  test('webhooks state their signature and their responses', () => {
    for (const [path, scheme] of [
      ['/webhooks/chat', 'chatSignature'],
      ['/webhooks/payments', 'paymentSignature'],
    ] as const) {
      const post = root.paths?.[path]?.post;
      expect(post?.security).toEqual([{ [scheme]: [] }]);
      expect(root.components?.securitySchemes?.[scheme]).toMatchObject({ type: 'apiKey', in: 'header' });
      expect(Object.keys(post?.responses ?? {})).toEqual(['200', '401', '413', '503']);
    }
    expect(Object.keys(root.paths?.['/webhooks/chat']?.get?.responses ?? {})).toEqual(['200', '400', '403']);
  });

  test('a nullable enum includes null', () => {
    const body = root.paths?.['/api/patients']?.post?.requestBody?.content?.['application/json']?.schema?.properties;
    expect(body?.gender).toMatchObject({ type: ['string', 'null'], enum: ['female', 'male', 'other', null] });
    expect(body?.phone).toMatchObject({ type: 'string' });
  });
});

test('the errors of a route follow from its row', () => {
  const reasons = (name: string) => {
    const route = routes.find(({ method, path }) => `${method} ${path}` === name);
    return route && reasonsOf(route).join(' ');
  };
  const user = 'UNAUTHENTICATED TOKEN_EXPIRED USER_INACTIVE CLINIC_SUSPENDED SUBSCRIPTION_EXPIRED';
  const body = 'VALIDATION_ERROR INVALID_JSON PAYLOAD_TOO_LARGE UNSUPPORTED_MEDIA_TYPE';
  expect(reasons('get /api/auth/me')).toBe(`RATE_LIMITED ${user} SCOPE_REQUIRED VALIDATION_ERROR INTERNAL UNAVAILABLE`);
  expect(reasons('delete /api/doctors/:id')).toBe(
    `RATE_LIMITED ${user} READ_ONLY SCOPE_REQUIRED MFA_SETUP_REQUIRED FORBIDDEN NOT_FOUND ${body} INTERNAL UNAVAILABLE`,
  );
  expect(reasons('post /api/patients')).toBe(
    `RATE_LIMITED ${user} READ_ONLY SCOPE_REQUIRED MFA_SETUP_REQUIRED ${body} PHONE_TAKEN IDEMPOTENCY_KEY_REUSED INTERNAL UNAVAILABLE`,
  );
  expect(reasons('get /api/superadmin/stats')).toBe('RATE_LIMITED INVALID_ADMIN_KEY VALIDATION_ERROR INTERNAL UNAVAILABLE');
});

describe('examples', () => {
  test.each(routes.filter(({ request }) => request.body).map((route) => [`${route.method} ${route.path}`, route] as const))('%s', (_name, route) => {
    expect(route.example).toBeDefined();
    for (const body of [route.example, EXAMPLES[operationIdOf(route)]?.body])
      if (body !== undefined) expect(route.request.body?.safeParse(body)).toMatchObject({ success: true });
  });
});

describe('examples are recorded from a run (else: npm run examples)', () => {
  const operations = [...Object.values(root.paths ?? {}), ...Object.values(root.webhooks ?? {})].flatMap((methods) => Object.values(methods));
  const idOf = ({ operationId }: Node) => String(operationId);

  test('of every JSON answer, and every body of a delivery or webhook', () => {
    const rowIds: string[] = routes.map(operationIdOf);
    const without = operations.flatMap((operation) => {
      const answers = Object.entries(operation.responses ?? {}).flatMap(([status, { content }]) => (/^2/.test(status) ? [content] : []));
      const bodies = rowIds.includes(idOf(operation)) ? [] : [operation.requestBody?.content]; // those of rows are above
      return [...answers, ...bodies].some((content) => content?.['application/json'] && content['application/json'].example === undefined)
        ? [idOf(operation)]
        : [];
    });
    expect(without).toEqual([]);
    const ids = operations.map(idOf);
    expect(Object.keys(EXAMPLES).filter((id) => !ids.includes(id))).toEqual([]);
  });

  test('of every live event', () => {
    const { examples } = root.paths?.['/api/events']?.get?.responses?.['200']?.content?.['text/event-stream'] ?? {};
    expect(Object.keys(examples ?? {}).sort()).toEqual(LIVE_EVENTS.map(({ name }) => name).sort());
  });
});

describe('pages', () => {
  const read = (name: string) => readFileSync(new URL(`../../docs/${name}`, import.meta.url), 'utf8');

  test('docs/errors.md, docs/rpcs.md and docs/api.md are up to date (else: node scripts/run.js write-pages)', () => {
    expect(read('errors.md')).toBe(errorsPage());
    expect(read('rpcs.md')).toBe(rpcsPage());
    expect(read('api.md')).toBe(withRoutes(read('api.md'), areas));
  });
});

describe('the reference is served', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startTestGateway({ PUBLIC_URL: 'https://api.clinic.test' });
  });
  afterAll(() => gateway.stop());

  test('as JSON without signing in', async () => {
    const response = await fetch(`${gateway.url}/api/openapi.json`);
    expect(await response.json()).toEqual(root);
  });

  test('as a page that loads nothing from another origin', async () => {
    const page = await fetch(`${gateway.url}/docs`);
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    const policy = page.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("script-src 'self';");
    const html = await page.text();
    expect(html).not.toMatch(/https?:/);
    for (const [, file] of html.matchAll(/(?:src|href)="(\/[^"]+)"/g)) expect((await fetch(gateway.url + file)).status).toBe(200);
  });
});
