// Waits for a condition instead of a fixed time.

/** A check takes milliseconds of processor time. A longer pause delays a test by a few per cent of the time that it waits anyway. */
const [FIRST_PAUSE_MS, LONGEST_PAUSE_MS] = [25, 100];

/**
 * Repeats `check` until it neither throws nor returns false, and returns its result. Throws the last error after `timeoutMs`. A test passes
 * `timeoutMs` only if it is about that time; the default merely ends a test that hangs.
 */
export async function waitFor<T>(check: () => T | Promise<T>, timeoutMs = 300_000): Promise<Exclude<T, false>> {
  const deadline = performance.now() + timeoutMs;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 1.5, LONGEST_PAUSE_MS)) {
    let failure: unknown;
    try {
      const result = await check();
      if (result !== false) return result as Exclude<T, false>;
      failure = new Error(`still false after ${timeoutMs} ms: ${check}`);
    } catch (error) {
      failure = error;
    }
    if (performance.now() > deadline) throw failure;
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}
