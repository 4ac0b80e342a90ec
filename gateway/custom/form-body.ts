// Forms of pages that work without a script: parsing their bodies and redirecting afterwards.
import type { Reason } from '@clinic/lib/errors/errors.ts';
import express, { type ErrorRequestHandler, type Request, type Response } from 'express';
import { type PublicPage, sendPage } from './public-page.ts';

export const form = express.urlencoded({ extended: false, limit: '16kb', parameterLimit: 20, inflate: false });

/**
 * The fields of a form, without those that were sent more than once. A browser sends a line break as CR LF, but the `maxlength` of a field counts it
 * as one character: it becomes LF.
 */
export function fieldsOf({ body }: Request): URLSearchParams {
  const fields = new URLSearchParams();
  for (const [name, value] of Object.entries((body ?? {}) as Record<string, unknown>))
    if (typeof value === 'string') fields.set(name, value.replaceAll(/\r\n?/g, '\n'));
  return fields;
}

export function redirect(response: Response, path: string): void {
  response.writeHead(303, { Location: path }).end();
}

/** For a body that cannot be read: too large, or in an unknown encoding. */
export const refuseBody =
  (toErrorPage: (reason: Reason, request: Request) => PublicPage): ErrorRequestHandler =>
  (error: { type?: unknown; status?: unknown }, request, response, next) => {
    const { type, status } = error;
    if (typeof type !== 'string' || typeof status !== 'number' || status >= 500) return next(error);
    sendPage(response, status, toErrorPage('VALIDATION_ERROR', request));
  };
