// One request and its answer, as seen from outside: an id, one log line, one observation. Never the URL, since queries
// and paths hold names, phones and ids.
import { randomUUID } from 'node:crypto';
import { isIP } from 'node:net';
import type { Log } from '@clinic/lib/telemetry/log.ts';
import { httpDuration } from '@clinic/lib/telemetry/metrics.ts';
import type { Request, RequestHandler, Response } from 'express';

const SANE_ID = /^[\w.-]{8,64}$/;
const UNKNOWN = 'unknown';

/** Gives the request its id, taken from X-Request-Id when that is sane, and tells of it when it is over. */
export function logRequests(log: Log): RequestHandler {
  return (request, response, next) => {
    const started = performance.now();
    const given = request.headers['x-request-id'];
    const requestId = typeof given === 'string' && SANE_ID.test(given) ? given : randomUUID();
    response.locals.requestId = requestId;
    response.setHeader('X-Request-Id', requestId);
    response.once('close', () => {
      const ms = performance.now() - started;
      const route = (response.locals.route as string | undefined) ?? UNKNOWN;
      const status = response.writableFinished ? response.statusCode : 499; // the client went away first
      httpDuration.observe({ method: knownMethod(request.method), route, status }, ms / 1000);
      log.info({ method: request.method, route, status, ms: Math.round(ms * 10) / 10, requestId, ...traceOf(response) }, 'request');
    });
    next();
  };
}

/** Set where the request begins a trace. */
function traceOf(response: Response): { trace_id: string } | undefined {
  const traceId = response.locals.traceId as string | undefined;
  return traceId === undefined ? undefined : { trace_id: traceId };
}

export const requestIdOf = (response: Response) => response.locals.requestId as string;

/** The client's address: what the trusted proxies say, or the socket's own when that is no address. */
export function clientIp(request: Request): string {
  const ip = request.ip ?? '';
  const address = isIP(ip) ? ip : (request.socket.remoteAddress ?? '');
  return address.startsWith('::ffff:') && address.includes('.') ? address.slice(7) : address;
}

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
/** A metric label must not be of the client's choosing. */
export const knownMethod = (method: string) => (METHODS.has(method) ? method : 'other');
