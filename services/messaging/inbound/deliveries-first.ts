// The provider waits for half a second at most, patients do not mind one more: while deliveries queue at the door, whoever
// works on what has arrived steps back.
import { setTimeout as sleep } from 'node:timers/promises';
import type { App } from '../app.ts';

const STEP_MS = 25;
/** Even a door that is never quiet must not stop the work for good. */
const LONGEST_MS = 1_000;

export async function deliveriesFirst(app: App): Promise<void> {
  for (let waited = 0; waited < LONGEST_MS && app.door.pool.waitingCount > 0; waited += STEP_MS) await sleep(STEP_MS);
}
