// A job worker in its own process, which a test kills during its jobs. Arguments: the owner's URL, and the options of each job by its name as JSON.
// Prints the name of each job that begins; none ends.
import pino from 'pino';
import { systemClock } from '../clock/clock.ts';
import { openDb } from '../db/db.ts';
import { databaseUrls } from '../db/migrate.ts';
import type { JobOptions } from '../jobs/job-options.ts';
import { job, startJobs } from '../jobs/jobs.ts';

const [, , ownerUrl = '', options = '{}'] = process.argv;
const log = pino({ level: 'silent' });
const db = openDb(databaseUrls(ownerUrl, 'messaging'), { schema: 'messaging', max: 2, log });
const jobs = Object.entries(JSON.parse(options) as Record<string, JobOptions>).map(([name, one]) =>
  job(name, one, () => {
    process.stdout.write(`${name}\n`);
    return new Promise(() => {});
  }),
);
await startJobs(jobs, { db, clock: systemClock, log });
