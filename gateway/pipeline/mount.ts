// Makes Express handlers of route rows. Everything that can be worked out once is worked out here, at start, where a row
// that does not fit its contract fails.
import type { DescMethodServerStreaming, Message } from '@bufbuild/protobuf';
import { fail, ServiceError, toServiceError } from '@clinic/lib/errors/errors.ts';
import type { Caller } from '@clinic/lib/rpc/caller.ts';
import type { Log } from '@clinic/lib/telemetry/log.ts';
import { type File, FileChunkSchema, FileSchema } from '@clinic/proto/common/v1/file_pb.js';
import type { Transport } from '@connectrpc/connect';
import { type SetCookie, stringifySetCookie } from 'cookie';
import express, { type Request, type RequestHandler, type Response, type Router } from 'express';
import type { CheckAccess } from '../access/check-access.ts';
import { clientIp, requestIdOf } from '../http/request-log.ts';
import type { Area, Route } from '../http/route.ts';
import { call, serviceOf, type Transports } from '../http/rpc.ts';
import { type Send, sendError, sendFile, sendJson, sendRedirect } from '../http/send.ts';
import type { Limits, RateCheck } from '../limits/limits.ts';
import { openPages, showPages } from './download.ts';
import { compileEvent, openEvents, showEvents } from './event-stream.ts';
import { openFile, showFile } from './file-responses.ts';
import { compileInput } from './input.ts';
import { compileJson } from './transcode.ts';
import { compileUpload } from './upload.ts';

export type Mount = { transports: Transports; checkAccess: CheckAccess; limits: Limits; log: Log; secureCookies: boolean };

/** The router of an area, to be used at its prefix. */
export function mountArea(area: Area, mount: Mount): Router {
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

/** 405 with what the path does answer; OPTIONS is told the same without an error. */
function refuseMethod(path: string, allowed: string[], log: Log): RequestHandler {
  const allow = [...allowed, ...(allowed.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ');
  return (request, response) => {
    response.locals.route = path;
    response.setHeader('Allow', allow);
    if (request.method === 'OPTIONS') response.writeHead(204).end();
    else sendError(request, response, new ServiceError('METHOD_NOT_ALLOWED'), log);
  };
}

function handle(route: Route, { transports, checkAccess: admit, limits, log, secureCookies }: Mount): RequestHandler {
  const { rpc } = route;
  const transport = transports(serviceOf(rpc.parent));
  const limit = limits.of(route.rate);
  const readInput = compileInput(route);
  const receive = route.request.upload && rpc.methodKind === 'unary' && compileUpload(route, rpc, route.request.upload, transport);
  const show = compileReply(route);
  const stream = rpc.methodKind === 'server_streaming' ? compileStream(rpc, transport, log) : undefined;
  const status = route.status ?? 200;

  async function work(request: Request, response: Response): Promise<Send> {
    const caller = await admit(route, request, requestIdOf(response), clientIp(request));
    const key = route.creates ? idempotencyKey(request.headers['idempotency-key']) : undefined;
    if (rpc.methodKind === 'server_streaming') return stream?.(await readInput(request), caller) ?? fail('INTERNAL');
    if (route.download) return showPages(route.download, await openPages(transport, rpc, await readInput(request), caller), log);
    const reply = receive ? await receive(request, caller) : await call(transport, rpc, await readInput(request), caller, key);
    if (route.cookie) response.setHeader('Set-Cookie', stringifySetCookie({ ...(route.cookie(reply as never) as SetCookie), secure: secureCookies }));
    return show(reply);
  }

  return async (request, response) => {
    response.locals.route = route.path;
    let pass: RateCheck | undefined;
    try {
      if (limit) pass = await limit(clientIp(request));
      if (pass?.refused) throw pass.refused;
      const send = await work(request, response);
      await pass?.settle?.(false);
      send(request, response, status, pass?.headers);
    } catch (thrown) {
      if (pass?.settle && !pass.refused) await pass.settle(isFailedAttempt(toServiceError(thrown, {})));
      sendError(request, response, thrown, log, pass?.headers);
    }
  };
}

/** Our own trouble is not the client's failure, and a request without any credentials attempts nothing. */
function isFailedAttempt({ reason }: ServiceError): boolean {
  return reason !== 'INTERNAL' && reason !== 'UNAVAILABLE' && reason !== 'UNAUTHENTICATED';
}

/** 1 to 255 printable ASCII characters. */
function idempotencyKey(given: string | string[] | undefined): string | undefined {
  if (given === undefined) return undefined;
  if (typeof given === 'string' && /^[\x21-\x7e](?:[\x20-\x7e]{0,253}[\x21-\x7e])?$/.test(given)) return given;
  const message = 'must be 1 to 255 printable ASCII characters';
  return fail('VALIDATION_ERROR', `Idempotency-Key: ${message}`, [{ path: 'Idempotency-Key', message }]);
}

const showJson =
  (json: string): Send =>
  (request, response, status, headers) =>
    sendJson(request, response, status, json, headers);

/** A file in pieces, or events. */
function compileStream(rpc: DescMethodServerStreaming, transport: Transport, log: Log): (input: object, caller: Caller) => Promise<Send> {
  if (rpc.output === FileChunkSchema) return async (input, caller) => showFile(await openFile(transport, rpc, input, caller), log);
  const textOf = compileEvent(rpc);
  return async (input, caller) => showEvents(await openEvents(transport, rpc, input, caller), textOf, log);
}

function compileReply({ rpc, unwrap, redirect, download }: Route): (reply: Message) => Send {
  if (download || rpc.methodKind !== 'unary') return () => fail('INTERNAL', 'a file is sent piece by piece');
  if (rpc.output === FileSchema) {
    return (reply) => (request, response, _status, headers) => sendFile(request, response, reply as File, headers);
  }
  const encode = compileJson(rpc.output);
  if (redirect) return (reply) => (_request, response, _status, headers) => sendRedirect(response, String(encode(reply)[redirect]), headers);
  if (!unwrap) return (reply) => showJson(JSON.stringify(encode(reply)));
  if (!rpc.output.fields.some(({ name }) => name === unwrap)) throw new Error(`${rpc.output.typeName} has no field ${unwrap}`);
  return (reply) => showJson(JSON.stringify(encode(reply)[unwrap]));
}
