// A start waits for what it needs, as on a busy machine or while a database starts.
import { setTimeout as sleep } from 'node:timers/promises';
import { toServiceError } from '../errors/errors.ts';

/** Why a process cannot start; only the message is shown, without a stack. */
export class StartError extends Error {}

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 5_000;

/** Repeats `work` with growing pauses while something that it needs is unavailable. Throws a StartError after `seconds`. */
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
