// Parses a request into the initial values of its message: path, cookies, query and body, validated by the schemas of the row.
import { type Detail, fail, invalid } from '@clinic/lib/errors/errors.ts';
import { parseCookie } from 'cookie';
import type { Request, Response } from 'express';
import { type ZodObject, z } from 'zod';
import { readBytes } from '../http/body.ts';
import { readJson } from '../http/json.ts';
import { parseQuery } from '../http/query.ts';
import type { RawBody, Route } from '../http/route.ts';
import { findUnknown, reportUnknown } from '../http/unknown-fields.ts';
import { compileInit, fieldOf } from './transcode.ts';

type Fields = Record<string, unknown>;
type Part = { parse: (raw: unknown, details: Detail[]) => Fields | undefined; fill: (input: Fields, init: Fields) => void; names: string[] };

const MAX_DETAILS = 20;
const NOTHING = z.object({});

/** Whether a JSON body is read. This includes routes whose row has no schema for one. */
export const readsJson = ({ method, request }: Route) => method !== 'get' && !request.raw && !request.upload;

/** Calendar programs and browsers open the links of these routes and may add parameters of their own. */
const ignoresUnknownNames = ({ rate }: Route) => rate === 'feed';

/**
 * Returns the parser of a route's requests. It throws NOT_FOUND for a malformed path parameter, UNAUTHENTICATED without a required cookie, and
 * VALIDATION_ERROR with the invalid values of both query and body. An unknown query parameter is invalid. An unknown field is invalid for
 * operators and with `Prefer: handling=strict`, and otherwise named in a Warning header.
 */
export function compileInput(route: Route): (request: Request, response: Response) => Promise<Fields> {
  const { params, cookies, query, body, raw, upload } = route.request;
  const readRaw = raw && compileRaw(route, raw);
  const headers = Object.entries(route.headers ?? {}).map(([key, header]) => [fieldOf(route.rpc.input, key).localName, header] as const);
  const beyondLimit = route.beyondLimit && fieldOf(route.rpc.input, route.beyondLimit).localName;
  const part = (schema: ZodObject | undefined) => schema && compilePart(upload?.begin ?? route.rpc, schema);
  const [paramsPart, cookiesPart, queryPart, bodyPart] = [part(params), part(cookies), part(query), part(readsJson(route) ? (body ?? NOTHING) : undefined)];
  const queryNames = queryPart?.names ?? [];
  const changes = body && (route.method === 'patch' || route.method === 'put');

  function parseBody(json: Fields, request: Request, response: Response, details: Detail[]): Fields | undefined {
    reportUnknown(findUnknown(body ?? NOTHING, json), route, request, response, details);
    const input = bodyPart?.parse(json, details);
    if (changes && input && !Object.keys(body.shape).some((name) => Object.hasOwn(json, name)))
      details.push({ path: 'body', message: `must have at least one of ${Object.keys(body.shape).join(', ')}` });
    return input;
  }

  return async (request, response) => {
    const init: Fields = {};
    for (const [name, header] of headers) init[name] = headerText(request.headers[header]);
    if (beyondLimit) init[beyondLimit] = response.locals.isBeyondLimit === true;
    if (paramsPart) paramsPart.fill(paramsPart.parse(request.params, []) ?? fail('NOT_FOUND', route.notFound), init);
    if (cookiesPart) cookiesPart.fill(cookiesPart.parse(parseCookie(request.headers.cookie ?? ''), []) ?? fail('UNAUTHENTICATED', NO_COOKIE), init);
    const details: Detail[] = [];
    const queryText = parseQuery(request.url, queryNames, ignoresUnknownNames(route) ? undefined : details);
    const queryInput = queryPart?.parse(queryText, details);
    const bodyInput = bodyPart && parseBody(await readJson(request), request, response, details);
    const [first] = details;
    if (first) fail('VALIDATION_ERROR', first.path ? `${first.path}: ${first.message}` : first.message, details.slice(0, MAX_DETAILS));
    if (readRaw) Object.assign(init, await readRaw(request));
    if (queryInput) queryPart?.fill(queryInput, init);
    if (bodyInput) bodyPart?.fill(bodyInput, init);
    return init;
  };
}

/** Long header values are truncated, not refused: browsers send them of their own accord. */
const headerText = (value: string | string[] | undefined) => (typeof value === 'string' ? value.toWellFormed().slice(0, 4096) : '');

/** Checks the media type before it reads the body. */
function compileRaw({ rpc }: Route, { types, maxBytes }: RawBody): (request: Request) => Promise<Fields> {
  const [content, contentType] = [fieldOf(rpc.input, 'content').localName, fieldOf(rpc.input, 'content_type').localName];
  return async (request) => {
    const type = mediaType(request.headers['content-type']);
    if (!types.includes(type) || (request.headers['content-encoding'] ?? 'identity') !== 'identity')
      fail('UNSUPPORTED_MEDIA_TYPE', `Send Content-Type: ${types.join(' or ')}`);
    const bytes = await readBytes(request, maxBytes);
    if (bytes.length === 0) invalid('body', 'must not be empty');
    return { [content]: bytes, [contentType]: type };
  };
}

export const mediaType = (contentType = '') => contentType.split(';', 1)[0]?.trim().toLowerCase() ?? '';

const NO_COOKIE = 'Sign in first: the session cookie is missing';

function compilePart(rpc: Route['rpc'], schema: ZodObject): Part {
  const names = Object.keys(schema.shape);
  return {
    names,
    fill: compileInit(rpc.input, names),
    parse(raw, details) {
      const result = schema.safeParse(raw, { error: toMessage });
      if (result.success) return result.data;
      // Of each value the last error: that of an integer beyond the safe ones is first, and states a limit that the field does not have.
      const errors = new Map(result.error.issues.map(({ path, message }) => [path.join('.'), message]));
      for (const [path, message] of errors) details.push({ path, message });
      return undefined;
    },
  };
}

/** Replaces messages of the library that are unclear to clients. */
function toMessage(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code === 'invalid_value') return `must be ${issue.values.length > 1 ? 'one of ' : ''}${issue.values.join(', ')}`;
  if (issue.code === 'too_small') return limitMessage(issue, issue.inclusive ? 'at least' : 'more than', issue.minimum);
  if (issue.code === 'too_big') return limitMessage(issue, issue.inclusive ? 'at most' : 'less than', issue.maximum);
  if (issue.code !== 'invalid_type') return undefined;
  if (issue.input === undefined) return 'is required';
  if (issue.input === null) return 'must not be null';
  return TYPES[issue.expected] && `must be ${TYPES[issue.expected]}`;
}

const TYPES: Record<string, string> = {
  string: 'text',
  number: 'a number',
  int: 'an integer',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
};
const UNITS: Record<string, string> = { string: 'character', array: 'item' };

function limitMessage({ origin = '' }: z.core.$ZodRawIssue<z.core.$ZodIssueTooSmall | z.core.$ZodIssueTooBig>, bound: string, limit: number | bigint): string {
  const unit = UNITS[origin];
  return unit ? `must have ${bound} ${limit} ${unit}${Number(limit) === 1 ? '' : 's'}` : `must be ${bound} ${limit}`;
}
