// Writes answers. Small ones go out as they are; large ones pass the compression middleware, which the small ones
// therefore do not pay for.
import type { Log } from '@clinic/lib/log.ts';
import compression from 'compression';
import type { Request, Response } from 'express';
import { describeError, logFailure } from './errors.ts';
import { requestIdOf } from './exchange.ts';

const WORTH_COMPRESSING = 2048;
const compress = compression({ threshold: 0 });

/** Answers with JSON text. */
export function answer(request: Request, response: Response, status: number, json: string, headers: Record<string, string> = {}): void {
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

/** Answers with the error that was thrown. */
export function answerError(request: Request, response: Response, thrown: unknown, log: Log, headers: Record<string, string> = {}): void {
  const failure = describeError(thrown);
  logFailure(log, requestIdOf(response), thrown, failure);
  if (!response.headersSent) answer(request, response, failure.status, failure.body, { ...failure.headers, ...headers });
}
