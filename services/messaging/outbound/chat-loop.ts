// How the loops between a message and its answer run: one that comes alone is handled at once; under load those that come meanwhile share the
// next pass. Deliveries wait for each other; the turns and the sends that follow from them go on at once, together.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Pace } from '@clinic/lib/background/pace.ts';

export const DELIVERIES_PACE: Pace = { eachMs: 100, mostMs: 700 };
export const STEPS_PACE: Pace = { eachMs: 30, mostMs: 300 };

const TOGETHER_MS = 50;

/** What runs at the same time: `wait` resolves when all of it has ended, or after TOGETHER_MS, so that quick work is stored with one statement. */
export function createTogether() {
  const running = new Set<Promise<unknown>>();
  return {
    async run<T>(work: Promise<T>): Promise<T> {
      running.add(work);
      try {
        return await work;
      } finally {
        running.delete(work);
      }
    },
    wait: () => Promise.race([Promise.allSettled(running), sleep(TOGETHER_MS)]),
  };
}
