// Waits for statements that wait for locks.
import pg from 'pg';
import { waitFor } from './wait-for.ts';

const COUNT = `select count(*)::int as n from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database() and query like $1`;

/**
 * Waits until `count` statements like `pattern` wait for locks in the database. On a connection of its own, since a transaction sees one snapshot of
 * pg_stat_activity.
 */
export async function waitForLocked(ownerUrl: string, count = 1, pattern = '%'): Promise<void> {
  const observer = new pg.Client({ connectionString: ownerUrl });
  await observer.connect();
  try {
    await waitFor(async () => (await observer.query(COUNT, [pattern])).rows[0].n === count);
  } finally {
    await observer.end();
  }
}
