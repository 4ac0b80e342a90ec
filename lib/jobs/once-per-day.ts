// Daily jobs. A daily job checks when a process starts, and every hour, whether it has run since its last time of day. If that run was missed,
// because no process or no database was running, it runs once, however many days were missed.
import { DateTime } from 'luxon';
import type { Clock } from '../clock/clock.ts';
import { asSystem, type Db, execute, readSystem, sql } from '../db/db.ts';
import { DEFAULT_ZONE } from '../formats/local-date.ts';

/** A time of day (HH:MM) in an IANA zone, by default DEFAULT_ZONE. */
export type Daily = { at: string; timezone?: string };

const RETAINED_DAYS = 30;

const findStatement = sql<{ day: string }>('select day from daily_runs where job = $1 and day = $2');
const insertStatement = sql('insert into daily_runs (job, day) values ($1, $2) on conflict do nothing');
const deleteStatement = sql('delete from daily_runs where job = $1 and day < $2::date - $3::int');

/**
 * Returns a function that calls `work` unless it has succeeded since the last time of day. A run is recorded after it has succeeded, so that a
 * failed one is repeated; `work` runs at least once a day. Throws what `work` throws.
 */
export function oncePerDay(
  { db, clock }: { db: Db; clock: Clock },
  job: string,
  { at, timezone = DEFAULT_ZONE }: Daily,
  work: (data: object) => Promise<void>,
) {
  const [hours, minutes] = at.split(':').map(Number);
  return async (data: object) => {
    const day = DateTime.fromJSDate(clock.now(), { zone: timezone }).minus({ hours, minutes }).toISODate();
    // As the system, because the job belongs to no clinic.
    if ((await readSystem(db, findStatement, [job, day])).length > 0) return;
    await work(data);
    await asSystem(db, async (tx) => {
      await execute(tx, insertStatement, [job, day]);
      await execute(tx, deleteStatement, [job, day, RETAINED_DAYS]);
    });
  };
}
