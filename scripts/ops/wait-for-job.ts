// Waits for a background job of a service.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from '@clinic/lib/db/db.ts';
import { jobsSchema } from '@clinic/lib/db/jobs-schema.ts';
import { OpsFault } from './command.ts';

const LOOK_MS = 500;
const REPORT_MS = 10_000;
/** When a job is not started within this time, the service is not running. */
const BEGIN_MS = 60_000;

/** Resolves when the newest job of the queue is completed, or there is none. Throws when it is not started within a minute or has failed. */
export async function waitForJob(db: Db, name: string, print: (line: string) => void): Promise<void> {
  const since = Date.now();
  let reported = since;
  let begun = false;
  for (;;) {
    const { rows } = await db.pool.query<{ state: string }>(
      `select state::text from ${jobsSchema(db.schema)}.job where name = $1 order by created_on desc limit 1`,
      [name],
    );
    const state = rows[0]?.state;
    if (state === 'failed' || state === 'cancelled') throw new OpsFault(`The job ${name} has failed: see the log of the ${db.schema} service.`);
    if (state === undefined || state === 'completed') return;
    begun ||= state === 'active';
    if (!begun && Date.now() - since > BEGIN_MS) throw new OpsFault(`The job ${name} was not started and stays queued: start the ${db.schema} service.`);
    if (Date.now() - reported > REPORT_MS) {
      reported = Date.now();
      print(`${name}: ${state === 'active' ? 'running' : 'waiting'}`);
    }
    await sleep(LOOK_MS);
  }
}
