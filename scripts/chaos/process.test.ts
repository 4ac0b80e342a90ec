import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { freePort } from '../../lib/runtime/free-port.ts';
import { tempFolder } from '../dev/temp-folder.ts';
import { processOf } from './process.ts';

const folder = tempFolder('process');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('a process that is killed before it is ready is started again, and reported in the end', async () => {
  writeFileSync(path.join(folder, 'main.ts'), "process.kill(process.pid, 'SIGKILL');");
  const killed = processOf({ name: 'billing-1', service: 'billing', program: 'main.ts', env: () => ({}), opsPort: await freePort() });
  await expect(killed.start(folder)).rejects.toThrow('billing-1 ended with SIGKILL before it was ready');
});
