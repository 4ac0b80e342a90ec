// A background loop: runs passes one after another until stopped, at a regular interval and, if given a signal (signal.ts), as soon as there is
// work. Failures are logged and retried. Under load, pace.ts makes signals share passes. Cheap checks several times a second use tick.ts.
import { setTimeout as sleep } from 'node:timers/promises';
import { isExplained } from '../errors/explained.ts';
import { createSignal, type Signal } from './signal.ts';
import type { Stoppable } from './stop.ts';

type LoopOptions = {
  log: { warn(fields: object, message: string): void };
  /** Log message for a failed pass. Of several failures in a row, the first and the recovery are logged. Failures during a logged outage are not. */
  failure: string;
  /** Interval in milliseconds. Passes begin at multiples of it since the process started, so that the loops of an idle process run together. */
  everyMs: number;
  /** Pause before the first pass; none when absent. */
  firstMs?: number;
  /**
   * Starts the next pass before `everyMs` has passed, which then matters only for signals that were lost. A failed pass is repeated after
   * RETRY_MS, with or without a signal.
   */
  signal?: Signal;
};

const RETRY_MS = 1_000;

/**
 * `pass` returns true when more work is ready; the next pass then follows immediately. A pass that runs for a long time calls `recovered` once it
 * works, so that its next failure is logged again. stop() aborts `stopped` and waits for the current pass.
 */
export function startLoop(
  { log, failure, everyMs, firstMs, signal }: LoopOptions,
  pass: (stopped: AbortSignal, recovered: () => void) => Promise<unknown>,
): Stoppable {
  const stopped = new AbortController();
  const next = signal ?? createSignal();
  const retryMs = signal ? Math.min(RETRY_MS, everyMs) : everyMs;
  const pause = (ms: number) => sleep(ms, undefined, { signal: stopped.signal }).catch(() => {});

  async function run() {
    let failing = false;
    const recovered = () => {
      if (failing) log.warn({}, `recovered: ${failure}`);
      failing = false;
    };
    if (firstMs) await pause(firstMs);
    while (!stopped.signal.aborted) {
      try {
        const more = await pass(stopped.signal, recovered);
        recovered();
        if (more === true) continue;
        await next.wait(untilNext(everyMs));
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
      next.notify();
      await running;
    },
  };
}

/** A loop whose signal is notified when a transaction of this process has written rows of the kind (Db.onWritten). */
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

const EARLY_MS = 2; // timers may fire slightly early

function untilNext(everyMs: number): number {
  const rest = everyMs - (performance.now() % everyMs);
  return rest > EARLY_MS ? Math.ceil(rest) : rest + everyMs;
}
