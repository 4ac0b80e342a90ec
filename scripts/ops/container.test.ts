// In a container, commands refuse to write files that would be deleted with it.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { PROJECT } from '../schemas.ts';
import { requireOutliving } from './container.ts';

const MARK = path.join(PROJECT, 'deploy/health.sh');

const FOLDERS = ['/srv', '/tmp', ...(existsSync('/dev/shm') ? ['/dev/shm'] : [])];

test.each(['/tmp', ...FOLDERS.map((folder) => path.join(folder, 'archive'))])('%s is refused in a container only', (target) => {
  expect(() => requireOutliving(target, MARK)).toThrow(`${target} would be deleted with this container: write to a volume`);
  expect(() => requireOutliving(target)).not.toThrow();
});
