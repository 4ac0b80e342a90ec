// Notices that a clock was set or stood still, as it does on virtual machines: compares the clocks of this process and of the database with the
// monotonic clock. What is stored by a clock that was ahead says so by being in the future.
import { startLoop } from '../background/loop.ts';
import type { Stoppable } from '../background/stop.ts';
import { type Db, readSystem, sql } from '../db/db.ts';
import type { Log } from '../telemetry/log.ts';
import { clockSteps } from '../telemetry/metrics.ts';

const CLOCKS = ['process', 'database'] as const;
/** Milliseconds from the monotonic clock to the other one. */
type Offsets = { [Clock in (typeof CLOCKS)[number]]?: number | undefined };

const EVERY_MS = 2_000;
/** Leases and pauses are longer than this, so that a smaller step does no harm. */
const SMALLEST_STEP_MS = 5_000;
const SLOWEST_READ_MS = 1_000;
const SHARED_MS = 1_000;
/** A reading of the database's clock is used again for so long while nothing is to be done, else for SHARED_MS. */
const RESTING_MS = 5_000;
/** Transactions that began before a step store its former times when they end, so what follows from it is done again. */
const AFTER_STEP_MS = [0, 10_000, 30_000];

const clockStatement = sql<{ ms: number }>('select extract(epoch from clock_timestamp())::float8 * 1000 as ms');

// All services of a process share its clock, and the first to notice a step reports it.
const reported: Offsets = {};

type Options = {
  /** Whose clock is watched too. */
  db?: Db;
  log: Log;
  onStep: () => Promise<unknown>;
  /** Calls `onStep` also at the beginning, for steps while the process did not run. */
  first?: boolean;
};

/** Calls `onStep` after each step, in either direction, as soon as both clocks go on evenly, until it succeeds, and twice more in the next half minute. */
export function watchClock({ db, log, onStep, first = false }: Options): Stoppable {
  for (const clock of CLOCKS) clockSteps.inc({ clock }, 0); // creates the time series, so that the first step is visible as an increase
  const known: Offsets = {};
  let due = first ? [0] : [];
  return startLoop({ log, failure: 'what follows from a step of the clock could not be done', everyMs: EVERY_MS }, async () => {
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
    if (next === undefined || performance.now() < next || moving) return; // the other clock may follow
    await onStep();
    due.shift();
  });
}

/** The services of a process that use the same server share a reading. */
const readings = new Map<string, { at: number; offset: Promise<number | undefined> }>();

function readOffset(db: Db, mostMs: number): Promise<number | undefined> {
  const server = new URL(db.pool.options.connectionString ?? '').host;
  const last = readings.get(server);
  if (last && performance.now() - last.at < mostMs) return last.offset;
  const offset = askOffset(db);
  readings.set(server, { at: performance.now(), offset });
  return offset;
}

/** Undefined when the answer took too long to be exact, or the database is unavailable. */
async function askOffset(db: Db): Promise<number | undefined> {
  const before = performance.now();
  const [read] = await readSystem(db, clockStatement, []).catch(() => []);
  const after = performance.now();
  return read && after - before <= SLOWEST_READ_MS ? read.ms - (before + after) / 2 : undefined;
}

function stepBetween(known: Offsets, current: Offsets, clock: keyof Offsets, report: (ms: number) => void): void {
  const [before, now] = [known[clock], current[clock]];
  if (now === undefined) return;
  if (before !== undefined && Math.abs(now - before) >= SMALLEST_STEP_MS) report(now - before);
  if (before === undefined || Math.abs(now - before) >= SMALLEST_STEP_MS) known[clock] = now;
}
