// Indexes of the database of dental.
import { type TestDatabase, testDatabase } from '@clinic/lib/testing/database.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.drop());

test('each foreign key has an index, so that a deletion of the row that it references does not scan the table', async () => {
  const owner = new pg.Client({ connectionString: database.ownerUrl, options: '-c search_path=dental' });
  await owner.connect();
  // An index whose first columns are those of the key, in any order.
  const { rows } = await owner.query<{ name: string }>(`
    select c.conrelid::regclass || ' ' || pg_get_constraintdef(c.oid) as name from pg_constraint c
    where c.contype = 'f' and c.connamespace = 'dental'::regnamespace and not exists (
      select from pg_index i
      where i.indrelid = c.conrelid and (i.indkey::int2[])[0:cardinality(c.conkey) - 1] @> c.conkey and (i.indkey::int2[])[0:cardinality(c.conkey) - 1] <@ c.conkey)
    order by 1`);
  await owner.end();
  expect(rows).toEqual([]);
});
