// The OpenAPI 3.1 document, built from the route rows and the custom routes.
import { REASONS, type Reason } from '@clinic/lib/errors/errors.ts';
import { FileChunkSchema, FileSchema } from '@clinic/proto/common/v1/file_pb.js';
import type { Area, Route, RouteAccess } from '../http/route.ts';
import { describeRoute, loadComments } from './comments.ts';
import { CUSTOM_ROUTES, CUSTOM_TAGS, SIGNATURES } from './custom-routes.ts';
import { liveEventSchemas, streamSchema } from './event-schemas.ts';
import { EXAMPLES } from './examples.ts';
import { operationIdOf } from './operation-id.ts';
import { reasonsOf } from './reasons.ts';
import { bodyOf, parametersOf } from './request-schemas.ts';
import { messageSchemas, type Schema } from './response-schemas.ts';
import { groupTags } from './tag-groups.ts';
import { webhookOperations } from './webhook-schemas.ts';

const INTRODUCTION = `Appointments, patients and doctors of dental and medical clinics. One deployment serves many clinics.

Sign in with \`POST /api/auth/login\` and send the \`access_token\` as \`Authorization: Bearer …\`. Programs send an integration key
instead. Every error has the form \`{"error", "code", "details"?}\`; each route lists its codes.

An unknown query parameter is refused with 400. An unknown field of a body is ignored and named in the response header \`Warning\`; with
\`Prefer: handling=strict\`, and always on the routes of operators, it is refused with 400.`;

type OpenApiDocument = Schema & {
  openapi: string;
  paths: Record<string, Record<string, Schema>>;
  components: Record<string, Record<string, Schema>>;
};

export function openApiDocument(areas: Area[], publicUrl: string): OpenApiDocument {
  const comments = loadComments();
  const replies = messageSchemas(comments);
  const responses: Record<string, Schema> = {};
  const paths: Record<string, Record<string, Schema>> = {};
  for (const { tag, routes } of areas) {
    for (const route of routes) {
      const path = route.path.replaceAll(/:(\w+)/g, '{$1}');
      paths[path] = { ...paths[path], [route.method]: operation(tag, route, { comments, replies, responses }) };
    }
  }
  for (const { method, path, tag, operationId, summary, description, security, parameters, requestBody, success, errors } of CUSTOM_ROUTES) {
    const operation = {
      tags: [tag],
      operationId,
      summary,
      description,
      ...(parameters && { parameters }),
      ...(requestBody && { requestBody: withExamples(requestBody, EXAMPLES[operationId]?.body) }),
    };
    const { answer, events } = EXAMPLES[operationId] ?? {};
    const ownResponses = { '200': withExamples(success, answer, events), ...failures({}, errors, responses) };
    paths[path] = { ...paths[path], [method]: { ...operation, responses: ownResponses, security } };
  }
  const tags = [...areas.map(({ tag, about }) => ({ name: tag, description: about })), ...CUSTOM_TAGS];
  const groups = groupTags(tags.map(({ name }) => name));
  return {
    openapi: '3.1.0',
    info: { title: 'Clinic Management Service', version: '1', description: INTRODUCTION, license: { name: 'MIT', identifier: 'MIT' } },
    servers: [{ url: publicUrl }],
    tags: groups.flatMap((group) => group.tags.flatMap((name) => tags.filter((tag) => tag.name === name))),
    'x-tagGroups': groups,
    paths,
    webhooks: webhookOperations(comments, 'Outbound webhooks'),
    components: { schemas: { ...replies.schemas, ...liveEventSchemas(comments), Error: ERROR }, responses, securitySchemes: SECURITY_SCHEMES },
  };
}

type Shared = { comments: Map<string, string>; replies: ReturnType<typeof messageSchemas>; responses: Record<string, Schema> };

function operation(tag: string, route: Route, { comments, replies, responses }: Shared): Schema {
  const title = describeRoute(route, comments);
  const parameters = parametersOf(route, comments);
  const requestBody = bodyOf(route, comments);
  return {
    tags: [tag],
    operationId: operationIdOf(route),
    ...title,
    ...((route.deprecated || route.rpc.proto.options?.deprecated) && { deprecated: true }),
    ...(parameters.length > 0 && { parameters }),
    ...(requestBody && { requestBody }),
    responses: {
      ...(route.existing && { 200: success(route, 'It already existed', replies) }),
      [String(route.redirect ? 302 : route.status)]: success(route, title.summary, replies),
      ...(isFile(route) && { 304: NOT_MODIFIED }),
      ...failures(route, reasonsOf(route), responses),
    },
    security: [...SECURITY[route.access], ...(route.scope ? [{ integrationKey: [route.scope] }] : [])],
  };
}

// The media type of a file by the end of its path.
const FILE_TYPES: [RegExp, string][] = [
  [/\.pdf$/, 'application/pdf'],
  [/\.svg$/, 'image/svg+xml'],
  [/\.png$/, 'image/png'],
  [/\.ics$/, 'text/calendar'],
  [/\.csv$|\/export$/, 'text/csv'],
  [/\.json$/, 'application/json'],
];
const fileType = (path: string) => FILE_TYPES.find(([ending]) => ending.test(path))?.[1] ?? '*/*';

/** Whether the response is a file, which may have an ETag. */
const isFile = ({ rpc }: Route) => rpc.output === FileSchema || rpc.output === FileChunkSchema;
const NOT_MODIFIED = { description: 'The client already has this version, by `If-None-Match` or `If-Modified-Since`' };

function success(route: Route, summary: string, replies: ReturnType<typeof messageSchemas>): Schema {
  const { path, rpc, unwrap, cookie, download, redirect } = route;
  if (redirect) return { description: summary, headers: { Location: { description: 'The URL to open', required: true, schema: { type: 'string' } } } };
  const answer = EXAMPLES[operationIdOf(route)]?.answer;
  const example = answer !== undefined && { example: answer };
  if (isFile(route) || download) {
    const type = fileType(path);
    const media = type === 'application/json' ? { schema: { type: 'object' }, ...example } : { schema: { type: 'string', format: 'binary' } };
    return { description: summary, content: { [type]: media } };
  }
  if (rpc.methodKind === 'server_streaming') {
    const events = rpc.output.fields.map((event) => ({ name: event.name, data: replies.property(event) }));
    return { description: `${summary}, as server-sent events of these forms`, content: { 'text/event-stream': { schema: streamSchema(events) } } };
  }
  const field = unwrap && rpc.output.fields.find(({ name }) => name === unwrap);
  const schema = field ? replies.property(field) : replies.refer(rpc.output);
  const setCookie = { 'Set-Cookie': { description: 'refresh_token, sent to the auth routes only', schema: { type: 'string' } } };
  return {
    description: summary,
    content: { 'application/json': { schema, ...example } },
    ...(cookie && { headers: setCookie }),
  };
}

/** Adds the recorded example to a body or response of a custom route, or the examples of each event of its stream. */
function withExamples(part: Schema, example: unknown, events: Record<string, unknown> = {}): Schema {
  const examples = Object.fromEntries(Object.entries(events).map(([name, value]) => [name, { value }]));
  const shown = { ...(example !== undefined && { example }), ...(Object.keys(examples).length > 0 && { examples }) };
  const content = Object.entries(part.content as Record<string, Schema>).map(([type, media]) => [type, { ...media, ...shown }]);
  return { ...part, content: Object.fromEntries(content) };
}

type Named = Pick<Route, 'notFound'>;

/** One response for each status, one example for each reason. Routes with the same errors share them. */
function failures(named: Named, reasons: Reason[], responses: Record<string, Schema>): Record<string, Schema> {
  return Object.fromEntries(
    [...Map.groupBy(reasons, (reason) => REASONS[reason].http)].map(([status, ofStatus]) => {
      const own = status === 404 && named.notFound ? `-${named.notFound.replaceAll(' ', '-')}` : '';
      const name = ofStatus.join('.') + own;
      responses[name] ??= failure(named, status, ofStatus);
      return [String(status), { $ref: `#/components/responses/${name}` }];
    }),
  );
}

function failure(named: Named, status: number, reasons: Reason[]): Schema {
  return {
    description: reasons.map((reason) => `\`${reason}\`: ${messageOf(named, reason).replaceAll('<', '\\<')}`).join('\n\n'),
    ...(status === 429 && { headers: { ...RETRY_AFTER, ...RATE_HEADERS } }),
    ...(status === 503 && { headers: RETRY_AFTER }),
    content: {
      'application/json': {
        schema: { allOf: [{ $ref: '#/components/schemas/Error' }, { properties: { code: { enum: reasons } } }] },
        examples: Object.fromEntries(reasons.map((reason) => [reason, { value: { error: messageOf(named, reason), code: reason } }])),
      },
    },
  };
}

const messageOf = ({ notFound }: Named, reason: Reason) => (reason === 'NOT_FOUND' && notFound ? notFound : REASONS[reason].message);

const SECURITY: Record<RouteAccess, Schema[]> = { public: [], user: [{ bearer: [] }], admin: [{ bearer: [] }], superadmin: [{ adminKey: [] }] };
const SECURITY_SCHEMES = {
  ...SIGNATURES,
  bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'The access_token of a session: ES256, valid 8 hours.' },
  integrationKey: {
    type: 'http',
    scheme: 'bearer',
    description:
      'An integration key of the clinic, `ck_…` (`POST /api/integration-keys`). Each route that accepts keys names the scope that the key needs; other routes refuse keys with 403 `SCOPE_REQUIRED`.',
  },
  adminKey: { type: 'apiKey', in: 'header', name: 'X-Admin-Key', description: 'The key of an operator of this deployment.' },
};
const integerHeader = (description: string) => ({ description, schema: { type: 'integer' } });
const RETRY_AFTER = { 'Retry-After': integerHeader('Seconds to wait') };
const RATE_HEADERS = {
  'RateLimit-Limit': integerHeader('Requests in a window'),
  'RateLimit-Remaining': integerHeader('Requests left in this window'),
  'RateLimit-Reset': integerHeader('Seconds until the window ends'),
};
const ERROR = {
  type: 'object',
  description: 'The form of every error.',
  required: ['error', 'code'],
  properties: {
    error: { type: 'string', description: 'A message for people. Its wording may change.' },
    code: { type: 'string', description: 'The code for programs. It does not change.', enum: Object.keys(REASONS) },
    details: {
      type: 'array',
      description: 'With VALIDATION_ERROR: the path of each invalid value and what is wrong with it.',
      items: { type: 'object', required: ['path', 'message'], properties: { path: { type: 'string' }, message: { type: 'string' } } },
    },
    observations: { type: 'array', description: 'With DTE_REJECTED: the observations of the tax authority.', items: { type: 'string' } },
    document_id: { type: 'string', format: 'uuid', description: 'With DTE_REJECTED: the document, which is stored and can be corrected.' },
  },
};
