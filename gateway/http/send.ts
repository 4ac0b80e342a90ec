// Writes answers. Small ones go out as they are; large ones pass the compression middleware, which the small ones
// therefore do not pay for.
import { type Timestamp, timestampDate, timestampMs } from '@bufbuild/protobuf/wkt';
import type { Log } from '@clinic/lib/telemetry/log.ts';
import type { File } from '@clinic/proto/common/v1/file_pb.js';
import compression from 'compression';
import type { Request, Response } from 'express';
import { describeError, logFailure } from './errors.ts';
import { requestIdOf } from './request-log.ts';

const WORTH_COMPRESSING = 2048;
const compress = compression({ threshold: 0 });

/** Writes a reply that is ready to be sent. */
export type Send = (request: Request, response: Response, status: number, headers?: Record<string, string>) => void;

/** Answers with JSON text. */
export function sendJson(request: Request, response: Response, status: number, json: string, headers: Record<string, string> = {}): void {
  response.statusCode = status;
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  for (const name in headers) response.setHeader(name, headers[name] as string);
  const send = () => {
    if (!response.hasHeader('Content-Encoding')) response.setHeader('Content-Length', Buffer.byteLength(json));
    response.end(json);
  };
  if (json.length < WORTH_COMPRESSING) send();
  else compress(request, response, send);
}

/** Answers with the bytes of a file, or 304 when the client has them. A name offers it as a download under that name. */
export function sendFile(request: Request, response: Response, file: File, headers: Record<string, string> = {}): void {
  if (startFile(request, response, file, headers)) return;
  const { content, contentType } = file;
  response.statusCode = 200;
  const send = () => {
    if (!response.hasHeader('Content-Encoding')) response.setHeader('Content-Length', content.length);
    response.end(content);
  };
  if (content.length < WORTH_COMPRESSING || !/^(text\/|image\/svg)/.test(contentType)) send();
  else compress(request, response, send);
}

/** Sets the headers of a file. True when the client has it already, and has been told so. */
export function startFile(request: Request, response: Response, file: Named, headers: Record<string, string>): boolean {
  const { contentType, filename, etag, lastModified } = file;
  for (const name in headers) response.setHeader(name, headers[name] as string);
  if (etag) {
    const tag = `"${etag}"`;
    response.setHeader('ETag', tag);
    response.setHeader('Cache-Control', 'private, no-cache');
    if (lastModified) response.setHeader('Last-Modified', timestampDate(lastModified).toUTCString());
    if (isKnown(request, tag, lastModified)) {
      response.writeHead(304).end();
      return true;
    }
  }
  response.setHeader('Content-Type', contentType);
  response.setHeader('Content-Disposition', filename ? contentDisposition(filename) : 'inline');
  return false;
}

type Named = { contentType: string; filename: string; etag: string; lastModified?: Timestamp | undefined };

/** Whether the client has this version already (RFC 9110, 13.2.2): a tag, when it sends one, counts before a date. */
function isKnown({ headers }: Request, tag: string, lastModified: Timestamp | undefined): boolean {
  const tags = headers['if-none-match'];
  if (tags !== undefined) return tags.split(',').some((one) => [tag, '*'].includes(one.trim().replace(/^W\//, '')));
  const since = Date.parse(headers['if-modified-since'] ?? '');
  return lastModified !== undefined && Math.floor(timestampMs(lastModified) / 1000) * 1000 <= since;
}

/** Sends the client on to another place, this time. */
export function sendRedirect(response: Response, location: string, headers: Record<string, string> = {}): void {
  for (const name in headers) response.setHeader(name, headers[name] as string);
  response.writeHead(302, { Location: location }).end();
}

/** RFC 6266: a plain name for old clients, the whole one for all others. */
export function contentDisposition(filename: string): string {
  const plain = filename
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^\w.-]+/g, '_');
  const whole = encodeURIComponent(filename).replaceAll(/['()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
  return `attachment; filename="${plain}"; filename*=UTF-8''${whole}`;
}

/** Answers with the error that was thrown. */
export function sendError(request: Request, response: Response, thrown: unknown, log: Log, headers: Record<string, string> = {}): void {
  const failure = describeError(thrown);
  logFailure(log, requestIdOf(response), thrown, failure);
  if (!response.headersSent) sendJson(request, response, failure.status, failure.body, { ...failure.headers, ...headers });
}
