// The provider waits for half a second at most, while patients do not notice one second more: while many deliveries come, their processing
// waits.
import { setTimeout as sleep } from 'node:timers/promises';
import type { App } from '../app.ts';

const STEP_MS = 20;

/** Waits until fewer deliveries come, for `maxMs` at most, so that a permanent load does not stop the processing. */
export async function yieldToDeliveries(app: App, maxMs: number): Promise<void> {
  const until = performance.now() + maxMs;
  while (app.deliveryStore.isBusy() && performance.now() < until) await sleep(STEP_MS);
}
