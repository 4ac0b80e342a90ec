// Batching of signal-driven work: a single item is handled immediately; a pause at the end of a pass of a loop (loop.ts), or of a batch
// (batches.ts), lets the items that arrive meanwhile share the next one.
import { setTimeout as sleep } from 'node:timers/promises';

/** Milliseconds of pause for each item that was handled, and the maximum. */
export type Pace = { eachMs: number; mostMs: number };

const LEAST_MS = 20; // limits passes when signals keep arriving for work that is not due

let shortest = false;

/** Pauses after a pass that handled `handled` items. Ends early when `signal` is aborted. */
export const pauseAfter = (handled: number, { eachMs, mostMs }: Pace, signal: AbortSignal) =>
  sleep(shortest ? 1 : Math.min(LEAST_MS + handled * eachMs, mostMs), undefined, { signal }).catch(() => {});

/** For tests, each step of which would otherwise wait for the pause after the one before. */
export function shortenPauses(): void {
  shortest = true;
}
