// The system clock, which a test can move forward, stop and start again.
import type { Clock } from '@clinic/lib/clock/clock.ts';

export type ShiftedClock = Clock & { advance(ms: number): void; stop(): void; go(): void };

export function shiftedClock(): ShiftedClock {
  let shift = 0;
  let held: number | undefined;
  return {
    now: () => new Date((held ?? Date.now()) + shift),
    advance(ms) {
      shift += ms;
    },
    stop() {
      held = Date.now();
    },
    go() {
      held = undefined;
    },
  };
}
