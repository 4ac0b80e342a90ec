// Kills a service of a product in seven processes at a chosen point of its work: a lock makes the service wait there first.
import { waitFor } from '@clinic/lib/testing/wait-for.ts';
import pg from 'pg';
import { servicesBelow } from '../../scripts/processes.ts';
import type { OwnProduct } from '../own-product.ts';
import { asOwner, ownerUrl } from '../product-internals.ts';

export function disturb(product: OwnProduct) {
  const processOf = (service: string) => servicesBelow(product.pid as number).find(({ name }) => name === service)?.pid;

  const WAITING = `select count(*)::int as n from pg_stat_activity where application_name = $1 and wait_event_type = 'Lock'`;

  return {
    /** Executes the statement in a transaction that stays open until `release()`. */
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
    /** Resolves when the service waits for a lock. */
    untilBlocked: (service: string) => waitFor(async () => (await asOwner(product.api, WAITING, [`clinic-${service}`]))[0].n > 0),
    /** Kills the process of the service and waits for its replacement. */
    async kill(service: string): Promise<void> {
      const pid = processOf(service);
      if (!pid) throw new Error(`no process of ${service} runs`);
      process.kill(pid, 'SIGKILL');
      await waitFor(() => ![undefined, pid].includes(processOf(service)));
    },
  };
}
