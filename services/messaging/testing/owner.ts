// The database of a running service as its owner sees it.
import type { TestService } from '@clinic/lib/testing/service.ts';
import { waitFor } from '@clinic/lib/testing/wait-for.ts';
import pg from 'pg';

export function connectOwner({ database }: TestService) {
  const owner = new pg.Pool({ connectionString: database.ownerUrl, max: 2, options: '-c search_path=messaging' });
  owner.on('error', () => {}); // the database is dropped by force, which may close a connection that is ending
  const look = async (text: string, values: unknown[] = []) => (await owner.query(text, values)).rows;
  /** Waits until every delivery is processed and every turn taken. */
  const settled = () =>
    waitFor(async () => {
      const [open] = await look(`select (select count(*) from chat_events where status = 'received')::int
        + (select count(*) from turns)::int as n`);
      return open.n === 0;
    });
  return { look, settled, disconnect: () => owner.end() };
}
