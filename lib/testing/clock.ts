import type { Clock } from '../clock/clock.ts';

/** A clock that a test moves. `onMove` are called after each move. */
export type MovedClock = Clock & { onMove: (() => void)[] };

/** A clock that changes only by set() and advance(). */
export function manualClock(start: Date): MovedClock & { set(to: Date): void; advance(ms: number): void } {
  let current = start.getTime();
  const onMove: (() => void)[] = [];
  const set = (to: Date) => {
    current = to.getTime();
    for (const moved of onMove) moved();
  };
  return { now: () => new Date(current), set, advance: (ms) => set(new Date(current + ms)), onMove };
}
