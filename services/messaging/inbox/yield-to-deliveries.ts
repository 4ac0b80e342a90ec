// The provider waits for half a second at most, patients do not mind one more: in a storm of deliveries, whoever works on
// what has arrived steps back.
import { setTimeout as sleep } from 'node:timers/promises';
import type { App } from '../app.ts';

const STEP_MS = 20;

/** Waits for the storm to pass, but never longer than that: one that never passes must not stop the work. */
export async function yieldToDeliveries(app: App, longestMs: number): Promise<void> {
  const until = performance.now() + longestMs;
  while (app.deliveryStore.isBusy() && performance.now() < until) await sleep(STEP_MS);
}
