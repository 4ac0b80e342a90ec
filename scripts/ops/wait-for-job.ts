// Waits for a background job of a service and reports that it waits.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from '@clinic/lib/db/db.ts';
import { jobsSchema } from '@clinic/lib/db/jobs-schema.ts';
import { OpsFault } from './command.ts';

const LOOK_MS = 500;
const REPORT_MS = 10_000;
/** A job that is not started by then means that the service is not running. */
const BEGIN_MS = 60_000;

/** Resolves when no job of the queue waits or runs. Throws when none is begun within a minute, or the last one has failed. */
export async function waitForJob(db: Db, name: string, say: (line: string) => void): Promise<void> {
  const since = Date.now();
  let reported = since;
  let begun = false;
  for (;;) {
    const { rows } = await db.pool.query<{ state: string }>(
      `select state::text from ${jobsSchema(db.schema)}.job where name = $1 order by created_on desc limit 1`,
      [name],
    );
    const state = rows[0]?.state;
    if (state === 'failed' || state === 'cancelled') throw new OpsFault(`The job ${name} has failed: see the log of ${db.schema}.`);
    if (state === undefined || state === 'completed') return;
    begun ||= state === 'active';
    if (!begun && Date.now() - since > BEGIN_MS) throw new OpsFault(`The job ${name} was not started: is ${db.schema} running? The job stays queued.`);
    if (Date.now() - reported > REPORT_MS) {
      reported = Date.now();
      say(`${name}: ${state === 'active' ? 'under way' : 'waiting'}`);
    }
    await sleep(LOOK_MS);
  }
}
