// A single shared timer for cheap checks several times a second, so that an idle process runs once for all of them. It does not prevent the end of
// the process. Work that may fail, overlap or has to be stopped cleanly belongs in a loop (loop.ts).

export const TICK_MS = 500;

const checks = new Set<() => void>();
let isTicking = false;

/** Calls `check` every TICK_MS until the returned function is called. `check` must not throw. */
export function onTick(check: () => void): () => void {
  checks.add(check);
  if (!isTicking) {
    isTicking = true;
    setInterval(() => {
      for (const run of checks) run();
    }, TICK_MS).unref();
  }
  return () => checks.delete(check);
}
