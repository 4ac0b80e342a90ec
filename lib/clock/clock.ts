// The clock is passed to services, so that tests can set the time.

export type Clock = { now(): Date };

export const systemClock: Clock = { now: () => new Date() };

/** A clock for tests, which changes only by set() and advance(). */
export function manualClock(start: Date): Clock & { set(to: Date): void; advance(ms: number): void } {
  let current = start.getTime();
  return {
    now: () => new Date(current),
    set: (to) => {
      current = to.getTime();
    },
    advance: (ms) => {
      current += ms;
    },
  };
}
