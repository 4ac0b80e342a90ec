// A background loop of a process: passes one after another until stopped.
import { setTimeout as sleep } from 'node:timers/promises';
import { createSignal, type Signal } from './signal.ts';
import type { Stoppable } from './stop.ts';

export type LoopOptions = {
  log: { warn(fields: object, message: string): void };
  /** What does not happen while passes fail; logged with the error of the first failure only. */
  failure: string;
  /** Pause between passes, in milliseconds. */
  everyMs: number;
  /** Pause before the first pass; none when absent. */
  firstMs?: number;
  /** Ends a pause early. After a failure the whole pause is waited, since a retry would only repeat it. */
  signal?: Signal;
};

/**
 * `pass` returns true when there is more to do at once. A pass that goes on for long calls `recovered` when it works again, so
 * that its next failure is logged. Stopping waits for the pass that runs.
 */
export function startLoop(
  { log, failure, everyMs, firstMs, signal = createSignal() }: LoopOptions,
  pass: (stopped: AbortSignal, recovered: () => void) => Promise<unknown>,
): Stoppable {
  const stopped = new AbortController();
  const pause = (ms: number) => sleep(ms, undefined, { signal: stopped.signal }).catch(() => {});

  async function run() {
    let failing = false;
    const recovered = () => {
      failing = false;
    };
    if (firstMs) await pause(firstMs);
    while (!stopped.signal.aborted) {
      try {
        const more = await pass(stopped.signal, recovered);
        recovered();
        if (more !== true) await signal.wait(everyMs);
      } catch (error) {
        if (!failing && !stopped.signal.aborted) log.warn({ err: error }, failure);
        failing = true;
        await pause(everyMs);
      }
    }
  }

  const running = run();
  return {
    async stop() {
      stopped.abort();
      signal.notify();
      await running;
    },
  };
}
