// The system clock, which a test can move forward, stop and start again.
import type { MovedClock } from '@clinic/lib/testing/clock.ts';

export type ShiftedClock = MovedClock & { advance(ms: number): void; stop(): void; go(): void };

export function shiftedClock(): ShiftedClock {
  let shift = 0;
  let held: number | undefined;
  const onMove: (() => void)[] = [];
  return {
    now: () => new Date((held ?? Date.now()) + shift),
    advance(ms) {
      shift += ms;
      for (const moved of onMove) moved();
    },
    stop() {
      held = Date.now();
    },
    go() {
      held = undefined;
    },
    onMove,
  };
}
