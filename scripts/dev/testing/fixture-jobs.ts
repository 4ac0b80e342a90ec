// Background jobs of the installation of the fixture.
import { waitFor } from '@clinic/lib/testing/wait-for.ts';
import { PgBoss } from 'pg-boss';
import { asOwner } from '../../../e2e/product-internals.ts';
import type { Product } from '../product.ts';

/** Delays all new jobs by an hour, so that the backup contains queued jobs. */
export async function holdJobs({ api }: Product): Promise<void> {
  const schemas = await asOwner(api, `select nspname as name from pg_namespace where nspname like '%\\_jobs' order by 1`);
  const triggers = schemas.map(({ name }) => `create trigger hold before insert on ${name}.job for each row execute function public.hold_job();`);
  await asOwner(
    api,
    `create function public.hold_job() returns trigger language plpgsql as $$ begin
       if new.name not like '\\_\\_%' then new.start_after := now() + interval '1 hour'; end if;
       return new;
     end $$;
     ${triggers.join('\n')}`,
  );
}

/** Runs a scheduled job now. */
export async function runJob({ api }: Product, service: string, name: string): Promise<void> {
  const db = { executeSql: async (statement: string, values: unknown[] = []) => ({ rows: await asOwner(api, statement, values) }) };
  const boss = new PgBoss({ schema: `${service}_jobs`, db });
  // A daily job has run when the product started.
  await asOwner(api, `delete from ${service}.daily_runs where job = $1`, [name]);
  const id = await boss.send(name, {});
  await waitFor(async () => (await asOwner(api, `select from ${service}_jobs.job where id = $1 and state = 'completed'`, [id])).length === 1);
}

/** Queues and ids of the jobs that wait. */
export async function listWaitingJobs({ api }: Product): Promise<{ schema: string; queue: string; id: string }[]> {
  const schemas = await asOwner(api, `select nspname as name from pg_namespace where nspname like '%\\_jobs' order by 1`);
  const each = schemas.map(
    ({ name }) => `select '${name}' as schema, name as queue, id from ${name}.job where state in ('created', 'retry') and name not like '\\_\\_%'`,
  );
  return asOwner(api, `${each.join(' union all ')} order by 1, 2, 3`);
}
