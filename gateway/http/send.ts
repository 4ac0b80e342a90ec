// Sends responses. Only large ones pass through the compression middleware, to spare small ones its overhead.
import { type Timestamp, timestampDate, timestampMs } from '@bufbuild/protobuf/wkt';
import { ServiceError } from '@clinic/lib/errors/errors.ts';
import type { Log } from '@clinic/lib/telemetry/log.ts';
import type { File } from '@clinic/proto/common/v1/file_pb.js';
import compression from 'compression';
import type { IRouter, Request, RequestHandler, Response } from 'express';
import { isArriving } from './body.ts';
import { describeError, type Failure, logFailure } from './errors.ts';

type Headers = Record<string, string>;

/** Sends a reply of which at least the beginning has already arrived. */
export type Send = (request: Request, response: Response, status: number, headers: Headers) => void;

const MIN_COMPRESSED_BYTES = 2048;
const compress = compression({ threshold: 0 });

/** Sends JSON text. */
export function sendJson(request: Request, response: Response, status: number, json: string, headers: Headers = {}): void {
  response.statusCode = status;
  setHeaders(response, { 'Content-Type': 'application/json; charset=utf-8', ...headers });
  sendBody(request, response, json, Buffer.byteLength(json), true);
}

/** Sends the bytes of a file, or 304 if the client already has them. With a filename the browser offers the file as a download. */
export function sendFile(request: Request, response: Response, file: File, headers: Headers): void {
  if (startFile(request, response, file, headers)) return;
  response.statusCode = 200;
  sendBody(request, response, file.content, file.content.length, /^(text\/|image\/svg)/.test(file.contentType));
}

function sendBody(request: Request, response: Response, body: string | Uint8Array, bytes: number, compressible: boolean): void {
  const send = () => {
    if (!response.hasHeader('Content-Encoding')) response.setHeader('Content-Length', bytes);
    if (isArriving(request)) endLater(response, body);
    else response.end(body);
  };
  if (bytes < MIN_COMPRESSED_BYTES || !compressible || !request.headers['accept-encoding']) send();
  else compress(request, response, send);
}

/** If a connection is closed while the client is still sending, it is reset and the client may lose the response. */
const LINGER_MS = 1_000;

/** Sends the whole response at once and closes the connection only after LINGER_MS; the rest of the request is not received. */
function endLater(response: Response, body: string | Uint8Array): void {
  response.setHeader('Connection', 'close');
  response.write(body);
  const timer = setTimeout(() => response.end(), LINGER_MS);
  response.once('close', () => clearTimeout(timer));
}

type FileHeaders = { contentType: string; filename: string; etag: string; lastModified?: Timestamp | undefined };

/** Sets the headers of a file. Returns true if the client already has this version and 304 has been sent. */
export function startFile(request: Request, response: Response, file: FileHeaders, headers: Headers): boolean {
  const { contentType, filename, etag, lastModified } = file;
  setHeaders(response, { 'Accept-Ranges': 'none', ...headers });
  if (etag) {
    const tag = `"${etag}"`;
    setHeaders(response, { ETag: tag, 'Cache-Control': 'private, no-cache' });
    if (lastModified) response.setHeader('Last-Modified', timestampDate(lastModified).toUTCString());
    if (isNotModified(request, tag, lastModified)) {
      response.writeHead(304).end();
      return true;
    }
  }
  setHeaders(response, { 'Content-Type': contentType, 'Content-Disposition': filename ? contentDisposition(filename) : 'inline' });
  return false;
}

/** RFC 9110, 13.2.2: If-None-Match takes precedence over If-Modified-Since. */
function isNotModified({ headers }: Request, tag: string, lastModified: Timestamp | undefined): boolean {
  const tags = headers['if-none-match'];
  if (tags !== undefined) return tags.split(',').some((one) => [tag, '*'].includes(one.trim().replace(/^W\//, '')));
  const since = Date.parse(headers['if-modified-since'] ?? '');
  return lastModified !== undefined && Math.floor(timestampMs(lastModified) / 1000) * 1000 <= since;
}

/** Redirects with 302. */
export function sendRedirect(response: Response, location: string, headers: Headers): void {
  setHeaders(response, headers);
  response.writeHead(302, { Location: location }).end();
}

/** RFC 6266: an ASCII name for old clients, the full one for all others. */
export function contentDisposition(filename: string): string {
  const ascii = filename
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^\w.-]+/g, '_');
  const full = encodeURIComponent(filename).replaceAll(/['()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
  return `attachment; filename="${ascii}"; filename*=UTF-8''${full}`;
}

/**
 * Sends the error response for what was thrown, unless a response has already begun: JSON, or the page of `response.locals.sendErrorPage`. `headers`
 * describe a limit that the request was counted by; they are not sent if another limit refuses it, which has headers of its own or, in a service, none.
 */
export function sendError(request: Request, response: Response, thrown: unknown, log: Log, headers: Headers = {}): void {
  const described = describeError(thrown);
  logFailure(log, response, thrown, described);
  if (response.headersSent) return;
  const failure = described.error.reason === 'RATE_LIMITED' ? described : { ...described, headers: { ...described.headers, ...headers } };
  const { sendErrorPage } = response.locals as { sendErrorPage?: (failure: Failure) => void };
  if (sendErrorPage) sendErrorPage(failure);
  else sendJson(request, response, failure.status, failure.body, failure.headers);
}

/** Responds to methods that a path does not support: 204 to OPTIONS, 405 to others, both with Allow. */
export function refuseMethod(path: string, methods: string[], log: Log): RequestHandler {
  const allow = [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ');
  return (request, response) => {
    response.locals.route = path;
    response.setHeader('Allow', allow);
    if (request.method === 'OPTIONS') response.writeHead(204).end();
    else sendError(request, response, new ServiceError('METHOD_NOT_ALLOWED'), log);
  };
}

/** Serves GET on a path and refuses other methods. */
export function serveGet(router: IRouter, path: string, log: Log, ...handlers: RequestHandler[]): void {
  const remember: RequestHandler = (_request, response, next) => {
    response.locals.route = path;
    next();
  };
  router.get(path, remember, ...handlers);
  router.all(path, refuseMethod(path, ['GET'], log));
}

export function setHeaders(response: Response, headers: Headers): void {
  for (const name in headers) response.setHeader(name, headers[name] as string);
}
