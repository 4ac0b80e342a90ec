// Detects that a clock was set or stood still, as on suspended virtual machines: compares the clocks of this process and of the database with the
// monotonic clock. After a clock was set back, times that it stored before are in the future, and onStep() repairs them.
import { startLoop } from '../background/loop.ts';
import type { Stoppable } from '../background/stop.ts';
import { type Db, readSystem, sql } from '../db/db.ts';
import type { Log } from '../telemetry/log.ts';
import { clockSteps } from '../telemetry/metrics.ts';

const CLOCKS = ['process', 'database'] as const;
/** Milliseconds by which each clock is ahead of the monotonic clock. */
type Offsets = { [Clock in (typeof CLOCKS)[number]]?: number | undefined };

const EVERY_MS = 2_000;
/** Smaller steps are ignored: leases and pauses are longer, so that these do no harm. */
const SMALLEST_STEP_MS = 5_000;
/** A reading of the database's clock that took longer is not exact enough. */
const SLOWEST_READ_MS = 1_000;
/** How long the services of a process share a reading of the database's clock: while calls of onStep() are due, and otherwise. */
const SHARED_MS = 1_000;
const RESTING_MS = 5_000;
/** When onStep() is called after a step. It is repeated, because transactions that began before the step store times of the former clock. */
const AFTER_STEP_MS = [0, 10_000, 30_000];

const clockStatement = sql<{ ms: number }>('select extract(epoch from clock_timestamp())::float8 * 1000 as ms');

// All services of a process share its clock; the first one that detects a step reports it.
const reported: Offsets = {};

type Options = {
  /** The database whose clock is watched too. */
  db?: Db;
  log: Log;
  onStep: () => Promise<unknown>;
  /** Also calls `onStep` at the start, for steps that happened while the process did not run. */
  first?: boolean;
};

/**
 * Calls `onStep` after each step, in either direction, once both clocks run evenly again, until it succeeds, and twice more within the next half
 * minute.
 */
export function watchClock({ db, log, onStep, first = false }: Options): Stoppable {
  for (const clock of CLOCKS) clockSteps.inc({ clock }, 0); // creates the time series, so that the first step is visible as an increase
  const known: Offsets = {};
  let due = first ? [0] : [];
  return startLoop({ log, failure: 'stored times could not be repaired after a step of the clock', everyMs: EVERY_MS }, async () => {
    let moving = false;
    const database = db && (await readOffset(db, due.length > 0 ? SHARED_MS : RESTING_MS));
    const offsets: Offsets = { process: Date.now() - performance.now(), database };
    for (const clock of CLOCKS) {
      stepBetween(reported, offsets, clock, (ms) => {
        clockSteps.inc({ clock });
        log.warn({ clock, seconds: Math.round(ms / 1000) }, 'a clock was set, or the machine was suspended');
      });
      stepBetween(known, offsets, clock, () => {
        moving = true;
        due = AFTER_STEP_MS.map((ms) => performance.now() + ms);
      });
    }
    const [next] = due;
    if (next === undefined || performance.now() < next || moving) return; // the other clock may be set next
    await onStep();
    due.shift();
  });
}

/** The services of a process that use the same server share a reading. */
const readings = new Map<string, { at: number; offset: Promise<number | undefined> }>();

function readOffset(db: Db, maxAgeMs: number): Promise<number | undefined> {
  const server = new URL(db.pool.options.connectionString ?? '').host;
  const last = readings.get(server);
  if (last && performance.now() - last.at < maxAgeMs) return last.offset;
  const offset = measureOffset(db);
  readings.set(server, { at: performance.now(), offset });
  return offset;
}

/** Undefined when the reading took too long to be exact, or the database is unavailable. */
async function measureOffset(db: Db): Promise<number | undefined> {
  const before = performance.now();
  const [read] = await readSystem(db, clockStatement, []).catch(() => []);
  const after = performance.now();
  return read && after - before <= SLOWEST_READ_MS ? read.ms - (before + after) / 2 : undefined;
}

/** Reports a step of the clock since the offset in `known`, in milliseconds, and stores the new offset there. Slow drift accumulates until it counts. */
function stepBetween(known: Offsets, current: Offsets, clock: keyof Offsets, report: (ms: number) => void): void {
  const [before, now] = [known[clock], current[clock]];
  if (now === undefined) return;
  if (before !== undefined && Math.abs(now - before) >= SMALLEST_STEP_MS) report(now - before);
  if (before === undefined || Math.abs(now - before) >= SMALLEST_STEP_MS) known[clock] = now;
}
