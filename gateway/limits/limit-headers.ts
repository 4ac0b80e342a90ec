// The response headers that describe a limit.
import type { LimitHeaders } from '../http/errors.ts';
import type { Standing } from './count.ts';
import type { Limit } from './store.ts';

/** Of a limit of the requests in a window. */
export const windowHeaders = ({ count, seconds }: Limit, { position, resetMs }: Standing): LimitHeaders => ({
  'RateLimit-Policy': `${count};w=${seconds}`,
  ...limitHeaders(count, Math.max(0, count - position), resetMs),
});

/** Of a limit of concurrent requests that has been reached. It has no window, and so no policy. */
export const concurrencyHeaders = (concurrent: number, retryMs: number): LimitHeaders => limitHeaders(concurrent, 0, retryMs);

const limitHeaders = (limit: number, remaining: number, resetMs: number) => ({
  'RateLimit-Limit': String(limit),
  'RateLimit-Remaining': String(remaining),
  'RateLimit-Reset': String(Math.max(1, Math.ceil(resetMs / 1000))),
});
