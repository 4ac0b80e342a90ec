// `ops failed-jobs`: lists background jobs that failed permanently or wait for their next attempt, and retries or deletes the former.
import { asSystem, execute, readSystem, sql } from '@clinic/lib/db/db.ts';
import { jobsSchema } from '@clinic/lib/db/jobs-schema.ts';
import { counted } from '@clinic/lib/formats/counted.ts';
import { schemaSources } from '../schemas.ts';
import { type Command, OpsFault } from './command.ts';

/** `at` is the time of the final failure, or of the next attempt. */
type FailedJob = { id: string; queue: string; at: Date; attempts: number };

export const failedJobs: Command = {
  usage: `[--retrying | retry <id> … | delete <id> …] [--dry-run]

A job whose attempts are exhausted stays until an operator retries or deletes it. The log line "a job failed permanently" with its id has the
cause. Without arguments the command lists all such jobs: service, queue, id, time of the failure, attempts.

  --retrying         lists the jobs that have failed and wait for their next attempt instead, with the time of that attempt
  retry <id> …       runs the jobs again
  delete <id> …      deletes the jobs
  --dry-run          only lists the jobs that retry or delete would change`,
  options: { 'dry-run': { type: 'boolean' }, retrying: { type: 'boolean' } },
  words: Number.POSITIVE_INFINITY,
  async run(ops, { values, words: [action, ...ids] }) {
    if (action !== undefined && action !== 'retry' && action !== 'delete') throw new OpsFault(`There is no action ${action}: use retry or delete.`);
    if (action !== undefined && ids.length === 0) throw new OpsFault(`Add the ids of the jobs to ${action}.`);
    if (action !== undefined && values.retrying) throw new OpsFault(`--retrying only lists jobs: leave it out to ${action} jobs.`);
    const found: string[] = [];
    for (const { schema: service } of schemaSources().filter(({ jobs }) => jobs)) {
      const db = ops.open(service);
      const { list, listRetrying, retry, remove } = statements(jobsSchema(service));
      const jobs = (await readSystem(db, values.retrying ? listRetrying : list, [])).filter(({ id }) => action === undefined || ids.includes(id));
      found.push(...jobs.map(({ id }) => id));
      for (const { id, queue, at, attempts } of jobs) ops.print([service, queue, id, at.toISOString(), attempts].join('  '));
      if (action === undefined || values['dry-run'] === true || jobs.length === 0) continue;
      for (const { id, queue } of jobs)
        await ops.record({ action: action === 'retry' ? 'job.retried' : 'job.deleted', entityId: id, changes: { service, queue } });
      // As the system, because the jobs belong to several clinics.
      await asSystem(db, (tx) => execute(tx, action === 'retry' ? retry : remove, [jobs.map(({ id }) => id)]));
    }
    const done = action && ` ${values['dry-run'] === true ? 'would be ' : ''}${action === 'retry' ? 'queued again' : 'deleted'}`;
    ops.print(`${counted(found.length, values.retrying ? 'retrying job' : 'failed job')}${done ?? ''}`);
    const others = ids.filter((id) => !found.includes(id));
    if (others.length > 0) throw new OpsFault(`No failed job has the id ${others.join(' or ')}.`);
    return 0;
  },
};

function statements(schema: string) {
  return {
    list: sql<FailedJob>(`
      select id::text, name as queue, completed_on as at, retry_count + 1 as attempts from ${schema}.job where state = 'failed' order by completed_on`),
    listRetrying: sql<FailedJob>(`
      select id::text, name as queue, start_after as at, retry_count + 1 as attempts from ${schema}.job where state = 'retry' order by start_after`),
    // One more attempt, as a retry in pg-boss.
    retry: sql(`
      update ${schema}.job set state = 'retry', retry_limit = greatest(retry_limit, retry_count) + 1, start_after = now(), completed_on = null
      where id = any($1::uuid[]) and state = 'failed'`),
    remove: sql(`delete from ${schema}.job where id = any($1::uuid[]) and state = 'failed'`),
  };
}
