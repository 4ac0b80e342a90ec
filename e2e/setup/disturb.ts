// Stops a service of a product in seven processes at a chosen point of its work: a lock makes it wait there, then its process is killed.
import { execFileSync } from 'node:child_process';
import { waitFor } from '@clinic/lib/testing/wait-for.ts';
import pg from 'pg';
import type { OwnProduct } from '../own-product.ts';
import { asOwner, ownerUrl } from '../product-internals.ts';

export function disturb(product: OwnProduct) {
  function processOf(service: string): number | undefined {
    const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,args='], { encoding: 'utf8', maxBuffer: 16 * 1024 * 1024 }).split('\n');
    const all = lines.flatMap((line) => {
      const [, pid, parent, args = ''] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [];
      return pid ? [{ pid: Number(pid), parent: Number(parent), args }] : [];
    });
    const ours = new Set([product.pid]);
    for (let size = 0; size !== ours.size; ) {
      size = ours.size;
      for (const { pid, parent } of all) if (ours.has(parent)) ours.add(pid);
    }
    return all.find(({ pid, args }) => ours.has(pid) && args.includes(`services/${service}/main.ts`))?.pid;
  }

  const WAITING = `select count(*)::int as n from pg_stat_activity where application_name = $1 and wait_event_type = 'Lock'`;

  return {
    /** Runs the statement in a transaction that stays open until it is released. */
    async hold(statement: string, values: unknown[] = []) {
      const client = new pg.Client({ connectionString: ownerUrl(product.api) });
      await client.connect();
      await client.query('begin');
      await client.query(statement, values);
      return {
        async release() {
          await client.query('rollback');
          await client.end();
        },
      };
    },
    /** Waits until the service waits for a lock. */
    stands: (service: string) => waitFor(async () => (await asOwner(product.api, WAITING, [`clinic-${service}`]))[0].n > 0),
    /** Kills the process of the service, and waits for the one that comes in its place. */
    async kill(service: string): Promise<void> {
      const pid = processOf(service);
      if (!pid) throw new Error(`no process of ${service} runs`);
      process.kill(pid, 'SIGKILL');
      await waitFor(() => ![undefined, pid].includes(processOf(service)));
    },
  };
}
