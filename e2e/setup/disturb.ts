// Stops a service of a product in seven processes at a chosen point of its work: a lock makes it wait there, then its process is killed.
import { waitFor } from '@clinic/lib/testing/wait-for.ts';
import pg from 'pg';
import { commandLine } from '../../scripts/dev/embedded/leftover.ts';
import { familyOf } from '../../scripts/processes.ts';
import type { OwnProduct } from '../own-product.ts';
import { asOwner, ownerUrl } from '../product-internals.ts';

export function disturb(product: OwnProduct) {
  const processOf = (service: string) => familyOf(product.pid as number).find((pid) => commandLine(pid).includes(`services/${service}/main.ts`));

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
