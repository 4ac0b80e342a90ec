// Gives each request an id, one log line and one observation of the duration metric. The URL is never logged: paths and queries contain
// names, phones and ids.
import { randomUUID } from 'node:crypto';
import { isIP } from 'node:net';
import type { Log } from '@clinic/lib/telemetry/log.ts';
import { httpDuration } from '@clinic/lib/telemetry/metrics.ts';
import type { Request, RequestHandler, Response } from 'express';

const REQUEST_ID = /^[\w.-]{8,64}$/;

/** Takes the id from X-Request-Id if that is well-formed. Logs when the response has been sent or the client has disconnected. */
export function logRequests(log: Log): RequestHandler {
  const lines = log.child({}, { redact: [] }); // redaction takes 10 µs, and no field has personal data
  return (request, response, next) => {
    const started = performance.now();
    const sent = request.headers['x-request-id'];
    const requestId = typeof sent === 'string' && REQUEST_ID.test(sent) ? sent : randomUUID();
    response.locals.requestId = requestId;
    response.setHeader('X-Request-Id', requestId);
    response.once('close', () => {
      const ms = performance.now() - started;
      const route = (response.locals.route as string | undefined) ?? 'unknown';
      const status = response.writableFinished ? response.statusCode : 499; // the client disconnected first
      httpDuration.observe({ method: knownMethod(request.method), route, status }, ms / 1000);
      const traceId = response.locals.traceId as string | undefined; // only if the request is traced
      const trace = traceId !== undefined && { trace_id: traceId };
      lines.info({ method: request.method, route, status, ms: Math.round(ms * 10) / 10, requestId, clinicId: clinicIdOf(response), ...trace }, 'request');
    });
    next();
  };
}

/** Undefined for requests without a valid token. */
export const clinicIdOf = (response: Response) => response.locals.clinicId as string | undefined;

export const requestIdOf = (response: Response) => response.locals.requestId as string;

/** `1.2.3.4:4711`, `[2001:db8::7]:4711` or `[2001:db8::7]`: some proxies report the port of the client too. */
const WITH_PORT = /^(?:([\d.]+):\d+|\[([\da-f:.]+)\](?::\d+)?)$/i;

/** The client's address as reported by the trusted proxies, or else the address of the socket. */
export function clientIp(request: Request): string {
  const ip = (request.ip ?? '').replace(WITH_PORT, '$1$2');
  const address = isIP(ip) ? ip : (request.socket.remoteAddress ?? '');
  return address.startsWith('::ffff:') && address.includes('.') ? address.slice(7) : address;
}

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
/** The method as a metric label: clients must not be able to create new label values. */
export const knownMethod = (method: string) => (METHODS.has(method) ? method : 'other');
