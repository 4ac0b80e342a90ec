// How a loop that signals wake runs under load: work that comes alone is done at once; then what comes meanwhile shares the next pass.
import { setTimeout as sleep } from 'node:timers/promises';

/** Pauses in proportion to what a pass has handled, up to a maximum. */
export type Pace = { eachMs: number; mostMs: number };

const LEAST_MS = 20; // signals may come all the time for work that is not due

export const pauseAfter = (handled: number, { eachMs, mostMs }: Pace, signal: AbortSignal) =>
  sleep(Math.min(LEAST_MS + handled * eachMs, mostMs), undefined, { signal }).catch(() => {});
