// From anything thrown to the answer that a client sees.
import { REASONS, type Reason, ServiceError, toServiceError } from '@clinic/lib/errors/errors.ts';
import type { Log } from '@clinic/lib/telemetry/log.ts';

export type Failure = { error: ServiceError; status: number; body: string; headers: Record<string, string> };

// A neighbour's words are no internals: who binds a chat number has to read them.
const SPOKEN = new Set<Reason>(['CHAT_PROVIDER_ERROR']);

/** Status and body of an error. Sentences of 5xx come from the table alone, so that they never carry internals. */
export function describeError(thrown: unknown): Failure {
  const error = fromExpress(thrown) ?? toServiceError(thrown, {});
  const { http, message } = REASONS[error.reason];
  const body = {
    error: http >= 500 && !SPOKEN.has(error.reason) ? message : error.message,
    code: error.reason,
    ...(error.details && http < 500 && { details: error.details }),
  };
  return { error, status: http, body: JSON.stringify(body), headers: http === 401 ? CHALLENGE : NONE };
}

/** What our side did wrong is told to the log, with the id that the client was given. */
export function logFailure(log: Log, requestId: string, thrown: unknown, { error }: Failure): void {
  if (error.reason === 'INTERNAL') log.error({ err: thrown, requestId }, 'request failed');
}

const NONE = {};
const CHALLENGE = { 'WWW-Authenticate': 'Bearer realm="clinic"' };

/** Express refuses a path that is not percent-encoded UTF-8 by an error with a status. */
function fromExpress(thrown: unknown): ServiceError | undefined {
  const { status } = thrown as { status?: unknown };
  return status === 400 ? new ServiceError('VALIDATION_ERROR', 'The path is not percent-encoded UTF-8') : undefined;
}
