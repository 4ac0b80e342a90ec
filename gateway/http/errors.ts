// Maps anything thrown to the error response of the public API.
import { type Detail, REASONS, RETRY_AFTER, type Reason, ServiceError, toServiceError } from '@clinic/lib/errors/errors.ts';
import type { Log } from '@clinic/lib/telemetry/log.ts';
import type { Response } from 'express';
import { clinicIdOf, requestIdOf } from './request-log.ts';

export type Failure = { error: ServiceError; status: number; body: string; headers: Record<string, string> };

/** The headers that describe a limit. Only a limit of the requests in a window has a policy. */
export type LimitHeaders = { 'RateLimit-Policy'?: string; 'RateLimit-Limit': string; 'RateLimit-Remaining': string; 'RateLimit-Reset': string };

/** RATE_LIMITED by a limit of the gateway, which the headers describe. */
export class LimitExceeded extends ServiceError {
  readonly headers: LimitHeaders;
  constructor(headers: LimitHeaders, message?: string) {
    super('RATE_LIMITED', message, [{ path: RETRY_AFTER, message: headers['RateLimit-Reset'] }]);
    this.headers = headers;
  }
}

// Reasons with a status of 5xx whose own message is returned: it is the chat provider's, and the admin who connects a number needs it.
const OWN_MESSAGE = new Set<Reason>(['CHAT_PROVIDER_ERROR']);

/** The Retry-After of a 503 that does not say how long it will last. */
const RETRY_SECONDS = '1';

/** Status, body and headers of an error. The messages of other 5xx errors come from the table of reasons, so that they never reveal internals. */
export function describeError(thrown: unknown): Failure {
  const error = fromExpress(thrown) ?? toServiceError(thrown, {});
  const { http, message } = REASONS[error.reason];
  const details = (error.details ?? []).filter(({ path }) => path !== RETRY_AFTER);
  const wait = error.details?.find(({ path }) => path === RETRY_AFTER)?.message ?? (http === 503 ? RETRY_SECONDS : undefined);
  const body = {
    error: http >= 500 && !OWN_MESSAGE.has(error.reason) ? message : error.message,
    code: error.reason,
    ...(details.length > 0 && http < 500 && { details }),
    ...(error.reason === 'DTE_REJECTED' && toRejection(error.details)),
  };
  const limit = error instanceof LimitExceeded && error.headers;
  return { error, status: http, body: JSON.stringify(body), headers: { ...(http === 401 && CHALLENGE), ...limit, ...(wait && { 'Retry-After': wait }) } };
}

/** The observations of the tax authority and the id of the stored document, from the details of DTE_REJECTED. */
function toRejection(details: Detail[] = []) {
  const observations = details.filter(({ path }) => path.startsWith('observations.')).map(({ message }) => message);
  return { observations, document_id: details.find(({ path }) => path === 'document')?.message };
}

/** Logs internal errors, with the request id that the client received. */
export function logFailure(log: Log, response: Response, thrown: unknown, { error }: Failure): void {
  if (error.reason === 'INTERNAL') log.error({ err: thrown, requestId: requestIdOf(response), clinicId: clinicIdOf(response) }, 'request failed');
}

const CHALLENGE = { 'WWW-Authenticate': 'Bearer realm="clinic"' };

/** Express throws an error with status 400 for a path that is not percent-encoded UTF-8. */
function fromExpress(thrown: unknown): ServiceError | undefined {
  const { status } = thrown as { status?: unknown };
  const detail = { path: 'path', message: 'must be percent-encoded UTF-8' };
  return status === 400 ? new ServiceError('VALIDATION_ERROR', `${detail.path}: ${detail.message}`, [detail]) : undefined;
}
