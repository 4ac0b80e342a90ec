// A background loop: runs passes one after another until stopped.
import { setTimeout as sleep } from 'node:timers/promises';
import { isExplained } from '../errors/explained.ts';
import { createSignal, type Signal } from './signal.ts';
import type { Stoppable } from './stop.ts';

export type LoopOptions = {
  log: { warn(fields: object, message: string): void };
  /** Log message for a failed pass. Of several failures in a row the first and the end are logged, and none that an outage explains. */
  failure: string;
  /** Passes begin at multiples of this time since the process started, in milliseconds, so that its loops wake it together. */
  everyMs: number;
  /** Pause before the first pass; none when absent. */
  firstMs?: number;
  /** Ends a pause early, except the pause after a failure, which is RETRY_MS: where a signal wakes a loop, everyMs is for lost signals only. */
  signal?: Signal;
};

const RETRY_MS = 1_000;

/**
 * `pass` returns true when more work is ready, so that the next pass follows at once. A long pass calls `recovered` as soon as it works,
 * so that its next failure is logged again. stop() waits for the current pass.
 */
export function startLoop(
  { log, failure, everyMs, firstMs, signal }: LoopOptions,
  pass: (stopped: AbortSignal, recovered: () => void) => Promise<unknown>,
): Stoppable {
  const stopped = new AbortController();
  const woken = signal ?? createSignal();
  const retryMs = signal ? Math.min(RETRY_MS, everyMs) : everyMs;
  const pause = (ms: number) => sleep(ms, undefined, { signal: stopped.signal }).catch(() => {});

  async function run() {
    let failing = false;
    const recovered = () => {
      if (failing) log.warn({}, `over: ${failure}`);
      failing = false;
    };
    if (firstMs) await pause(firstMs);
    while (!stopped.signal.aborted) {
      try {
        const more = await pass(stopped.signal, recovered);
        recovered();
        if (more === true) continue;
        await woken.wait(untilNext(everyMs));
      } catch (error) {
        if (!isExplained(error) && !stopped.signal.aborted) {
          if (!failing) log.warn({ err: error }, failure);
          failing = true;
        }
        await pause(retryMs);
      }
    }
  }

  const running = run();
  return {
    async stop() {
      stopped.abort();
      woken.notify();
      await running;
    },
  };
}

/** A loop that also begins a pass when a transaction has written rows of the kind (Db.onWritten). */
export function startLoopOnWritten(
  { onWritten }: { onWritten: Map<string, () => void> },
  kind: string,
  options: Omit<LoopOptions, 'signal'>,
  pass: (stopped: AbortSignal) => Promise<unknown>,
): Stoppable {
  const signal = createSignal();
  onWritten.set(kind, signal.notify);
  const loop = startLoop({ ...options, signal }, pass);
  return {
    async stop() {
      onWritten.delete(kind);
      await loop.stop();
    },
  };
}

const EARLY_MS = 2; // timers may end a little before their time

function untilNext(everyMs: number): number {
  const rest = everyMs - (performance.now() % everyMs);
  return rest > EARLY_MS ? Math.ceil(rest) : rest + everyMs;
}
