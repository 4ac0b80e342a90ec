// Waits for another process.
import { setTimeout as sleep } from 'node:timers/promises';

/** Repeats `check` until it returns true. Returns false after `timeoutMs`. */
export async function until(check: () => boolean | Promise<boolean>, timeoutMs: number, pauseMs: number): Promise<boolean> {
  for (const end = performance.now() + timeoutMs; performance.now() < end; ) {
    if (await check()) return true;
    await sleep(pauseMs);
  }
  return false;
}

/** Whether the URL responds with 2xx in time. */
export const isOk = (url: string, timeoutMs = 10_000): Promise<boolean> =>
  fetch(url, { signal: AbortSignal.timeout(timeoutMs) }).then(
    ({ ok }) => ok,
    () => false,
  );
