// A job worker in its own process, which a test kills during a job. Arguments: the owner's URL and the options of the job as JSON.
import pino from 'pino';
import { systemClock } from '../clock/clock.ts';
import { openDb } from '../db/db.ts';
import { databaseUrls } from '../db/migrate.ts';
import { job, startJobs } from '../jobs/jobs.ts';

const [, , ownerUrl = '', options = '{}'] = process.argv;
const log = pino({ level: 'silent' });
const db = openDb(databaseUrls(ownerUrl, 'messaging'), { schema: 'messaging', max: 2, log });
const endless = job('endless', JSON.parse(options), () => {
  process.stdout.write('working\n');
  return new Promise(() => {});
});
await startJobs([endless], { db, clock: systemClock, log });
