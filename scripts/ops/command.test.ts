import { expect, test } from '@jest/globals';
import { openOps } from './command.ts';

test.each([
  ['', /^Set DATABASE_URL to the owner's URL, or start the installation in DATA_DIR, which is \/.+\.$/],
  ['database.example/clinic', /^DATABASE_URL must be a URL, such as postgres:\/\//],
])('a command explains that the URL of the database is missing or wrong: %j', (url, explanation) => {
  expect(() => openOps('ana', () => {}, url)).toThrow(explanation);
});
