// Lists background jobs that failed for good, and retries or deletes them.
import { asSystem, execute, readSystem, sql } from '@clinic/lib/db/db.ts';
import { jobsSchema } from '@clinic/lib/db/jobs-schema.ts';
import { schemaSources } from '../schemas.ts';
import { type Command, OpsFault } from './command.ts';

type FailedJob = { id: string; queue: string; failed_at: Date; attempts: number };

export const failedJobs: Command = {
  name: 'failed-jobs',
  summary: 'lists background jobs that failed for good, and retries or deletes them',
  usage: `[retry <id> … | delete <id> …] [--dry-run]

Such a job stays until an operator has seen it. The log line "a job failed for good" with its id has the cause. Without arguments all are
listed: service, queue, id, when it failed, attempts.

  retry <id> …       runs them again
  delete <id> …      deletes them
  --dry-run          only says what would happen`,
  options: { 'dry-run': { type: 'boolean' } },
  async run(ops, { values, words: [action, ...ids] }) {
    if (action !== undefined && action !== 'retry' && action !== 'delete') throw new OpsFault(`There is no action ${action}: retry or delete.`);
    if (action !== undefined && ids.length === 0) throw new OpsFault('Name the jobs by their ids.');
    let found = 0;
    for (const { schema: service } of schemaSources().filter(({ jobs }) => jobs)) {
      const db = ops.open(service);
      const { list, retry, remove } = statements(jobsSchema(service));
      const jobs = (await readSystem(db, list, [])).filter(({ id }) => action === undefined || ids.includes(id));
      found += jobs.length;
      for (const { id, queue, failed_at, attempts } of jobs) ops.say([service, queue, id, failed_at.toISOString(), attempts].join('  '));
      if (action === undefined || values['dry-run'] === true || jobs.length === 0) continue;
      for (const { id, queue } of jobs)
        await ops.record({ action: action === 'retry' ? 'job.retried' : 'job.deleted', entityId: id, changes: { service, queue } });
      // As the system, because the jobs belong to all clinics.
      await asSystem(db, (tx) => execute(tx, action === 'retry' ? retry : remove, [jobs.map(({ id }) => id)]));
    }
    ops.say(`${found} failed ${found === 1 ? 'job' : 'jobs'}`);
    return action !== undefined && found < new Set(ids).size ? 1 : 0;
  },
};

function statements(schema: string) {
  return {
    list: sql<FailedJob>(`
      select id::text, name as queue, completed_on as failed_at, retry_count + 1 as attempts from ${schema}.job where state = 'failed' order by completed_on`),
    // As pg-boss does it: one more attempt.
    retry: sql(`
      update ${schema}.job set state = 'retry', retry_limit = greatest(retry_limit, retry_count) + 1, start_after = now(), completed_on = null
      where id = any($1::uuid[]) and state = 'failed'`),
    remove: sql(`delete from ${schema}.job where id = any($1::uuid[]) and state = 'failed'`),
  };
}
