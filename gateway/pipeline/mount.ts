// Compiles route rows into Express handlers. This happens once, at start; a row that does not fit its contract throws.
import type { Message } from '@bufbuild/protobuf';
import { fail, REASONS, type Reason, type ServiceError, toServiceError } from '@clinic/lib/errors/errors.ts';
import type { Caller } from '@clinic/lib/rpc/caller.ts';
import type { Log } from '@clinic/lib/telemetry/log.ts';
import { type File, FileChunkSchema, FileSchema } from '@clinic/proto/common/v1/file_pb.js';
import type { Transport } from '@connectrpc/connect';
import { parseCookie, type SetCookie, stringifySetCookie } from 'cookie';
import express, { type Request, type RequestHandler, type Response, type Router } from 'express';
import type { CheckAccess, Requirements } from '../access/check-access.ts';
import { keyHashOf, type ResolveKey } from '../access/integration-keys.ts';
import { DEVICE_COOKIE } from '../http/cookies.ts';
import { deprecationHeaders } from '../http/deprecation.ts';
import { clientIp, requestIdOf } from '../http/request-log.ts';
import type { Area, Route } from '../http/route.ts';
import { call, serviceOf, type Transports } from '../http/rpc.ts';
import { refuseMethod, type Send, sendError, sendFile, sendJson, sendRedirect } from '../http/send.ts';
import type { ClinicLimits } from '../limits/clinic-limits.ts';
import type { Limits, RateCheck } from '../limits/limits.ts';
import type { Operating } from '../limits/operating-state.ts';
import { compileEvent, sendEvents } from './event-stream.ts';
import { enterExports } from './exports.ts';
import { openPagedFile, sendFileStream } from './file-responses.ts';
import { compileInput } from './input.ts';
import { openStream } from './open-stream.ts';
import { compileJson, fieldOf } from './transcode.ts';
import { compileUpload } from './upload.ts';

export type Mount = {
  transports: Transports;
  checkAccess: CheckAccess;
  resolveKey: ResolveKey;
  clinicLimits: ClinicLimits;
  limits: Limits;
  operating: Operating;
  /** The time that completing an upload may take. */
  completeMs: number;
  log: Log;
  toCookie: (cookie: SetCookie) => SetCookie;
};

/** Serves the areas. They are looked up by the second segment of the path, so that a request passes only through areas that share it. */
export function mountAreas(areas: Area[], mount: Mount): RequestHandler {
  const bySegment = new Map<string, Router>();
  for (const area of areas) {
    const router = mountArea(area, mount);
    for (const segment of new Set(area.routes.map(({ path }) => secondSegment(path)))) {
      const sharing = bySegment.get(segment) ?? express.Router({ caseSensitive: true });
      bySegment.set(segment, sharing.use(area.prefix, router));
    }
  }
  return (request, response, next) => {
    const router = bySegment.get(secondSegment(request.path));
    if (router) router(request, response, next);
    else next();
  };
}

const secondSegment = (path: string) => path.split('/', 3)[2] ?? '';

/** The router of an area, to be mounted at its prefix. */
function mountArea(area: Area, mount: Mount): Router {
  const router = express.Router({ caseSensitive: true });
  const methods = new Map<string, string[]>();
  for (const route of area.routes) {
    if (!`${route.path}/`.startsWith(`${area.prefix}/`)) throw new Error(`${route.path} is not below ${area.prefix}`);
    const path = route.path.slice(area.prefix.length) || '/';
    router[route.method](path, handle(route, mount));
    methods.set(path, [...(methods.get(path) ?? []), route.method.toUpperCase()]);
  }
  for (const [path, allowed] of methods) router.all(path, refuseMethod(area.prefix + path, allowed, mount.log));
  return router;
}

const handle = (route: Route, mount: Mount): RequestHandler => serve(route, mount, compileCall(route, mount.transports(serviceOf(route.rpc.parent)), mount));

/** The properties of a route that `serve` needs, with or without a row. */
export type Served = Requirements & Pick<Route, 'path' | 'rate'> & Partial<Pick<Route, 'status' | 'beyondLimit' | 'performedBeyondLimit' | 'deprecated'>>;

/** Returns a handler that checks the limits and the access of a request, performs it and sends the reply. */
export function serve(
  route: Served,
  { checkAccess, resolveKey, clinicLimits, limits, log, toCookie }: Omit<Mount, 'transports' | 'operating' | 'completeMs'>,
  perform: Perform,
): RequestHandler {
  const limit = limits.of(route.rate);
  const takesKeys = route.rate === 'api' && (route.access === 'user' || route.access === 'admin');
  /** Requests with an integration key are counted by key, others by address. */
  const count = (request: Request, response: Response): Promise<RateCheck> | undefined => {
    const keyHash = takesKeys ? keyHashOf(request.headers.authorization) : undefined;
    if (keyHash === undefined) return limit?.(clientIp(request));
    return limits.ofKey(keyHash, clientIp(request), async () => (await resolveKey(keyHash, requestIdOf(response))) !== undefined);
  };
  const status = route.status ?? 200;
  const deprecation = Object.entries(route.deprecated ? deprecationHeaders(route.deprecated) : {});

  async function admit(request: Request, response: Response): Promise<Admitted> {
    const caller = await checkAccess(route, request, requestIdOf(response), clientIp(request));
    return { caller, leave: caller.clinic && (await clinicLimits.enter(caller.clinic.id)) };
  }

  async function work(request: Request, response: Response, { caller, leave }: Admitted): Promise<Reply> {
    const { cookies, ...reply } = await perform(request, response, caller).finally(leave);
    if (cookies)
      response.setHeader(
        'Set-Cookie',
        cookies.map((cookie) => stringifySetCookie(toCookie(cookie))),
      );
    return reply;
  }

  return async (request, response) => {
    response.locals.route = route.path;
    for (const [name, value] of deprecation) response.setHeader(name, value);
    let check: RateCheck | undefined;
    let admitted: Admitted | undefined;
    try {
      check = await count(request, response);
      if (check?.refused && !route.performedBeyondLimit && !(route.beyondLimit && hasDevice(request))) throw check.refused;
      response.locals.isBeyondLimit = check?.refused !== undefined;
      admitted = await admit(request, response);
      const { send, existing } = await work(request, response, admitted);
      await check?.settle?.(false);
      send(request, response, existing ? 200 : status, check?.headers ?? {});
    } catch (thrown) {
      if (check?.settle && !check.refused) await check.settle(admitted !== undefined && isFailedAttempt(toServiceError(thrown, {})));
      const isOverLimit = toServiceError(thrown, {}).reason === 'RATE_LIMITED';
      const refused = isOverLimit || route.performedBeyondLimit ? check?.refused : undefined;
      sendError(request, response, refused ?? thrown, log, check?.headers);
    }
  };
}

/** `leave` must be called when the request of a user or an integration key has been performed. */
type Admitted = { caller: Caller; leave: (() => void) | undefined };

const hasDevice = ({ headers }: Request) => Boolean(parseCookie(headers.cookie ?? '')[DEVICE_COOKIE]);

/** Of requests that the caller may send. Not counted: errors of the server, requests without a valid cookie, and sign-ins whose password was correct. */
const isFailedAttempt = ({ reason }: ServiceError): boolean => REASONS[reason].http < 500 && !NO_ATTEMPTS.includes(reason);

const NO_ATTEMPTS: readonly Reason[] = ['UNAUTHENTICATED', 'MFA_REQUIRED'];

type Reply = { send: Send; cookies?: SetCookie[] | undefined; existing?: boolean };

/** Performs a request and returns how to send its reply. */
export type Perform = (request: Request, response: Response, caller: Caller) => Promise<Reply>;

/** Calls the RPC of the route. */
function compileCall(route: Route, transport: Transport, { operating, completeMs, log }: Pick<Mount, 'operating' | 'completeMs' | 'log'>): Perform {
  const { rpc, download } = route;
  const parseInput = compileInput(route);
  if (rpc.methodKind === 'server_streaming') {
    const toEvent = rpc.output === FileChunkSchema ? undefined : compileEvent(rpc);
    return async (request, response, caller) => {
      const stream = await openStream(transport, rpc, await parseInput(request, response), caller);
      return { send: toEvent ? sendEvents(stream, toEvent, log) : sendFileStream(stream, log) };
    };
  }
  if (download)
    return async (request, response, caller) => {
      const input = await parseInput(request, response);
      await enterExports(response, caller);
      return { send: await openPagedFile(transport, rpc, input, caller, download, log) };
    };
  const toSend = compileReply(route);
  const existing = route.existing && fieldOf(rpc.output, route.existing).localName;
  const upload = route.request.upload && compileUpload(route, rpc, route.request.upload, transport, { operating, completeMs });
  return async (request, response, caller) => {
    const idempotencyKey = route.creates ? parseIdempotencyKey(request.headers['idempotency-key']) : undefined;
    const reply = upload
      ? await upload(request, response, caller, idempotencyKey)
      : await call(transport, rpc, await parseInput(request, response), caller, { idempotencyKey });
    const isExisting = existing !== undefined && (reply as unknown as Record<string, unknown>)[existing] === true;
    return { send: toSend(reply), cookies: route.cookie?.(reply as never), existing: isExisting };
  };
}

/** 1 to 255 printable ASCII characters. */
function parseIdempotencyKey(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined;
  if (typeof header === 'string' && /^[\x21-\x7e](?:[\x20-\x7e]{0,253}[\x21-\x7e])?$/.test(header)) return header;
  const message = 'must be 1 to 255 printable ASCII characters';
  return fail('VALIDATION_ERROR', `Idempotency-Key: ${message}`, [{ path: 'Idempotency-Key', message }]);
}

/** Pages of browser clients, whose origin may be another one, show pictures. */
const PICTURE = { 'Cross-Origin-Resource-Policy': 'cross-origin' };

function compileReply({ rpc, access, unwrap, redirect }: Route): (reply: Message) => Send {
  if (rpc.output === FileSchema)
    return (reply) => (request, response, _status, headers) => {
      const file = reply as File;
      sendFile(request, response, file, access === 'public' && file.contentType.startsWith('image/') ? { ...headers, ...PICTURE } : headers);
    };
  const encode = compileJson(rpc.output);
  if (redirect) return (reply) => (_request, response, _status, headers) => sendRedirect(response, String(encode(reply)[redirect]), headers);
  if (unwrap && !rpc.output.fields.some(({ name }) => name === unwrap)) throw new Error(`${rpc.output.typeName} has no field ${unwrap}`);
  return (reply) => {
    const json = JSON.stringify(unwrap ? encode(reply)[unwrap] : encode(reply));
    return (request, response, status, headers) => sendJson(request, response, status, json, headers);
  };
}
