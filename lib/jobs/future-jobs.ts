// After a clock was set back, times that pg-boss stored before are in the future, and its maintenance and all jobs would wait until then.
import { asSystem, type Db, execute, sql } from '../db/db.ts';
import { jobsSchema } from '../db/jobs-schema.ts';

/** Replaces stored times that are in the future; start times keep their delay. Changes nothing when there are none. */
export async function repairFutureJobs(db: Db): Promise<void> {
  // As the system, because jobs belong to no clinic.
  await asSystem(db, async (tx) => {
    for (const statement of statements(jobsSchema(db.schema))) await execute(tx, sql(statement));
  });
}

const unlessFuture = (column: string) => `${column} = case when ${column} <= now() then ${column} end`;

const statements = (schema: string) => [
  `update ${schema}.version set ${['cron_on', 'bam_on', 'flow_on', 'reindex_on', 'monitor_backoff_on'].map(unlessFuture).join(', ')}
   where greatest(cron_on, bam_on, flow_on, reindex_on, monitor_backoff_on) > now()`,
  `update ${schema}.queue set ${['monitor_claim_on', 'monitor_on', 'maintain_on'].map(unlessFuture).join(', ')}
   where greatest(monitor_claim_on, monitor_on, maintain_on) > now()`,
  // Jobs keep their order and the delay with which they were queued; a retry becomes due at once.
  `update ${schema}.job set
     created_on = case when created_on <= now() then created_on else now() - ((select max(created_on) from ${schema}.job) - created_on) / 1000 end,
     start_after = least(start_after, case when state = 'retry' then now() else now() + greatest(start_after - created_on, '0') end),
     started_on = least(started_on, now()), heartbeat_on = least(heartbeat_on, now())
   where state < 'completed' and greatest(created_on, started_on, heartbeat_on) > now()`,
  // pg-boss queues at most one job for each singleton_on, so a scheduled run would be skipped when a stored time in the future is reached.
  `update ${schema}.job set singleton_on = null where singleton_on > now() at time zone 'UTC'`,
];
