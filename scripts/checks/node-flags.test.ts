import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { NODE_FLAGS } from '../node-flags.ts';
import { PROJECT } from '../schemas.ts';

test('npm start and the image start Node with the flags of node-flags.ts', () => {
  const read = (file: string) => readFileSync(path.join(PROJECT, file), 'utf8');
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
  for (const name of ['start', 'start:distributed']) expect(scripts[name]).toContain(`exec node ${NODE_FLAGS.join(' ')} scripts/run.js`);
  expect(read('deploy/Dockerfile')).toContain(`do node ${NODE_FLAGS.join(' ')} -e`);
  expect(read('deploy/Dockerfile')).toContain(`ENTRYPOINT ${JSON.stringify(['node', ...NODE_FLAGS]).replaceAll(',', ', ')}`);
});
