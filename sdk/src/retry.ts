// Retries requests that can safely be repeated: reads, PUT except for passwords, calls with an Idempotency-Key, and the refresh of a session. Requests
// that exceed the rate limit had no effect, so any of them can be repeated.
import { retryAfterOf } from './errors.ts';

export type Send = (request: Request) => Promise<Response>;

const TEMPORARY = new Set([502, 503, 504]);
const FIRST_WAIT_MS = 300;
/** A request that would have to wait longer is not retried: its response is returned, and the caller decides. */
const MAX_WAIT_MS = 10_000;

/** Whether a request may succeed later without any change by the caller. */
export const isTemporary = (status: number) => status === 429 || status >= 500;

/**
 * A repeated change of the password would be refused, since the current password is already the new one, and count as a wrong guess. A refresh that is
 * repeated within 10 seconds gets the same session; later, its cookie would end the session.
 */
const isRepeatable = ({ method, url, headers }: Request) =>
  ['GET', 'HEAD'].includes(method) ||
  (method === 'PUT' && !url.endsWith('/api/users/me/password')) ||
  headers.has('Idempotency-Key') ||
  url.endsWith('/api/auth/refresh');

export function withRetries(send: Send, retries: number): Send {
  return async (request) => {
    for (let attempt = 0; ; attempt++) {
      const last = attempt >= retries;
      const repeatable = isRepeatable(request);
      let wait = FIRST_WAIT_MS * 2 ** attempt * (0.5 + Math.random());
      try {
        const response = await send(last ? request : request.clone());
        if (last || !(response.status === 429 || (repeatable && TEMPORARY.has(response.status)))) return response;
        wait += (retryAfterOf(response) ?? 0) * 1000;
        if (wait > MAX_WAIT_MS) return response;
        await response.body?.cancel();
      } catch (error) {
        if (last || !repeatable || request.signal.aborted) throw error;
      }
      await sleep(wait, request.signal);
    }
  };
}

/** Resolves after `ms` milliseconds. Rejects when the signal is aborted. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, ms);
    if (signal?.aborted) abort();
    else signal?.addEventListener('abort', abort, { once: true });
  });
}
