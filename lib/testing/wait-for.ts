// Waits for a condition instead of a fixed time.

/**
 * Repeats `check` until it neither throws nor returns false, and returns its result. Throws the last error after `timeoutMs`. A test passes
 * `timeoutMs` only if it is about that time; the default merely ends a test that hangs. The longer it has waited, the less often it checks.
 */
export async function waitFor<T>(check: () => T | Promise<T>, timeoutMs = 300_000): Promise<Exclude<T, false>> {
  const began = performance.now();
  for (;;) {
    let failure: unknown;
    try {
      const result = await check();
      if (result !== false) return result as Exclude<T, false>;
      failure = new Error(`still false after ${timeoutMs} ms: ${check}`);
    } catch (error) {
      failure = error;
    }
    const waited = performance.now() - began;
    if (waited > timeoutMs) throw failure;
    await new Promise((resolve) => setTimeout(resolve, Math.min(Math.max(25, waited / 40), 100)));
  }
}
