import { expect, test } from '@jest/globals';
import { openOps } from './command.ts';

test.each([
  ['', /^Set DATABASE_URL to the owner's URL, or start the installation in DATA_DIR, which is \/.+\.$/],
  ['database.example/clinic', /^DATABASE_URL must be a URL, such as postgres:\/\//],
])('a command explains that the URL of the database is missing or wrong: %j', (url, explanation) => {
  expect(() => openOps('ana', () => {}, url)).toThrow(explanation);
});

test('a statement of a command may take longer than one of a request', async () => {
  const ops = openOps('ana', () => {}, 'postgres://owner:password@127.0.0.1:1/clinic');
  const { pool, systemPool } = ops.open('identity');
  for (const { options } of [pool, systemPool]) {
    expect(options).toMatchObject({ query_timeout: 302_000, options: expect.stringContaining('-c statement_timeout=300s ') });
  }
  await ops.close();
});
