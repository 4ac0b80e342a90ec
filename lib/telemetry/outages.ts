// Outages of the dependencies of a process. The log has one warning with the cause when an outage begins, and one when it is over; the failures in
// between are marked as explained and not logged.
import { explain } from '../errors/explained.ts';
import type { Log } from './log.ts';
import { dependencyUp } from './metrics.ts';

export type Outage = ReturnType<typeof watchOutage>;

/** A success ends an outage only if nothing has failed for this long. */
const SETTLED_MS = 3_000;

/**
 * Watches one dependency, for example `PostgreSQL` at `db:5432`. `effect` is what an outage means, for the log. The metric has no value before the first
 * use: a process that never uses a dependency must not report it as unavailable.
 */
export function watchOutage(log: Log, dependency: string, address: string, effect = '') {
  let up: boolean | undefined;
  let began = 0;
  let failures = 0;
  let last = Number.NEGATIVE_INFINITY;
  const set = (now: boolean) => {
    up = now;
    dependencyUp.set({ dependency, address }, now ? 1 : 0);
  };

  /** Must be called for each failure that an outage explains. */
  function failed(error: unknown): void {
    explain(error);
    last = performance.now();
    failures++;
    if (up === false) return;
    set(false);
    began = last;
    failures = 1;
    log.warn({ err: error, dependency, address }, `${dependency} is unavailable${effect && `; ${effect}`}`);
  }

  /** Must be called when the dependency is known to work again. */
  function over(): void {
    if (up === false) log.warn({ dependency, address, seconds: Math.round((performance.now() - began) / 1000), failures }, `${dependency} is available again`);
    set(true);
  }

  /** Must be called for each success. */
  function succeeded(): void {
    if (!up && performance.now() - last >= SETTLED_MS) over();
  }

  return { failed, succeeded, over };
}
