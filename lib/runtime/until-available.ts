// Repeats the start of a process while PostgreSQL is unavailable, for example because it starts at the same time.
import { setTimeout as sleep } from 'node:timers/promises';
import { toServiceError } from '../errors/errors.ts';

/** An error that prevents the start of a process; its message is printed without a stack. */
export class StartError extends Error {}

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 5_000;

/** Repeats `work`, with growing pauses, while it fails as UNAVAILABLE. Throws a StartError after `seconds`, and other errors immediately. */
export async function untilAvailable<T>(seconds: number, work: () => Promise<T>): Promise<T> {
  const end = performance.now() + seconds * 1_000;
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
    try {
      return await work();
    } catch (error) {
      if (toServiceError(error, {}).reason !== 'UNAVAILABLE') throw error;
      if (performance.now() + pause > end)
        throw new StartError(`PostgreSQL was not available within ${seconds} seconds (START_SECONDS): ${(error as Error).message}`);
    }
    await sleep(pause);
  }
}
