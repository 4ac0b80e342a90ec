// Outages of what a process depends on. The log has one warning when an outage begins, with its cause, and one line when it is over; the many
// failures between them are not logged again.
import { explain } from '../errors/explained.ts';
import type { Log } from './log.ts';
import { dependencyUp } from './metrics.ts';

export type Outage = ReturnType<typeof watchOutage>;

/** A success counts as the end of an outage when nothing has failed for so long. */
const SETTLED_MS = 3_000;

/** Watches one dependency, for example `PostgreSQL` at `db:5432`. `effect` says in the log what an outage means. */
export function watchOutage(log: Log, dependency: string, address: string, effect = '') {
  let up: boolean | undefined;
  let began = 0;
  let failures = 0;
  let last = Number.NEGATIVE_INFINITY;
  const set = (now: boolean) => {
    up = now;
    dependencyUp.set({ dependency, address }, now ? 1 : 0);
  };
  dependencyUp.inc({ dependency, address }, 0); // creates the time series

  /** To be called for each failure that the outage explains. */
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

  /** To be called when it is known that nothing fails any more. */
  function over(): void {
    if (up === false) log.warn({ dependency, address, seconds: Math.round((performance.now() - began) / 1000), failures }, `${dependency} is available again`);
    set(true);
  }

  /** To be called for each success. */
  function succeeded(): void {
    if (!up && performance.now() - last >= SETTLED_MS) over();
  }

  return { failed, succeeded, over };
}
