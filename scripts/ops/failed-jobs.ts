// Lists background jobs that failed for good or wait for their next attempt, and retries or deletes the former.
import { asSystem, execute, readSystem, sql } from '@clinic/lib/db/db.ts';
import { jobsSchema } from '@clinic/lib/db/jobs-schema.ts';
import { schemaSources } from '../schemas.ts';
import { type Command, OpsFault } from './command.ts';

/** `at` is when it failed for good, or when the next attempt is due. */
type FailedJob = { id: string; queue: string; at: Date; attempts: number };

export const failedJobs: Command = {
  usage: `[--retrying | retry <id> … | delete <id> …] [--dry-run]

Such a job stays until an operator has seen it. The log line "a job failed for good" with its id has the cause. Without arguments all are
listed: service, queue, id, when it failed, attempts.

  --retrying         lists instead the jobs that have failed and wait for their next attempt, with its time
  retry <id> …       runs them again
  delete <id> …      deletes them
  --dry-run          only says what would happen`,
  options: { 'dry-run': { type: 'boolean' }, retrying: { type: 'boolean' } },
  words: Number.POSITIVE_INFINITY,
  async run(ops, { values, words: [action, ...ids] }) {
    if (action !== undefined && action !== 'retry' && action !== 'delete') throw new OpsFault(`There is no action ${action}: retry or delete.`);
    if (action !== undefined && ids.length === 0) throw new OpsFault('Name the jobs by their ids.');
    if (action !== undefined && values.retrying) throw new OpsFault('Jobs that wait for their next attempt are only listed.');
    let found = 0;
    for (const { schema: service } of schemaSources().filter(({ jobs }) => jobs)) {
      const db = ops.open(service);
      const { list, listRetrying, retry, remove } = statements(jobsSchema(service));
      const jobs = (await readSystem(db, values.retrying ? listRetrying : list, [])).filter(({ id }) => action === undefined || ids.includes(id));
      found += jobs.length;
      for (const { id, queue, at, attempts } of jobs) ops.say([service, queue, id, at.toISOString(), attempts].join('  '));
      if (action === undefined || values['dry-run'] === true || jobs.length === 0) continue;
      for (const { id, queue } of jobs)
        await ops.record({ action: action === 'retry' ? 'job.retried' : 'job.deleted', entityId: id, changes: { service, queue } });
      // As the system, because the jobs belong to all clinics.
      await asSystem(db, (tx) => execute(tx, action === 'retry' ? retry : remove, [jobs.map(({ id }) => id)]));
    }
    ops.say(`${found} ${values.retrying ? 'retrying' : 'failed'} ${found === 1 ? 'job' : 'jobs'}`);
    return action !== undefined && found < new Set(ids).size ? 1 : 0;
  },
};

function statements(schema: string) {
  return {
    list: sql<FailedJob>(`
      select id::text, name as queue, completed_on as at, retry_count + 1 as attempts from ${schema}.job where state = 'failed' order by completed_on`),
    listRetrying: sql<FailedJob>(`
      select id::text, name as queue, start_after as at, retry_count + 1 as attempts from ${schema}.job where state = 'retry' order by start_after`),
    // As pg-boss does it: one more attempt.
    retry: sql(`
      update ${schema}.job set state = 'retry', retry_limit = greatest(retry_limit, retry_count) + 1, start_after = now(), completed_on = null
      where id = any($1::uuid[]) and state = 'failed'`),
    remove: sql(`delete from ${schema}.job where id = any($1::uuid[]) and state = 'failed'`),
  };
}
