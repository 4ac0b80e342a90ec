// Batching of the loops between a message and its reply: a single message is handled immediately; under load, messages that arrive during a
// pass share the next one. Deliveries are collected for longer than the turns and sends that they cause.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Pace } from '@clinic/lib/background/pace.ts';

export const DELIVERIES_PACE: Pace = { eachMs: 100, mostMs: 700 };
export const STEPS_PACE: Pace = { eachMs: 30, mostMs: 300 };

const TOGETHER_MS = 50;

/** Tracks concurrent work. `wait` resolves when all of it has ended, or after TOGETHER_MS, so that quick work is stored with one statement. */
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
