import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from '@jest/globals';

const MODULE = new URL('./free-port.ts', import.meta.url);
const TEN_PORTS = `
  import { freePort } from '${MODULE}';
  const ports = [];
  for (let i = 0; i < 10; i++) ports.push(await freePort({ first: 32100, count: 60 }));
  console.log(JSON.stringify(ports));
  process.stdin.resume();`;

test('a port that one process has reserved is given to no other process, although nothing listens on it yet', async () => {
  const processes = Array.from({ length: 4 }, () => spawn(process.execPath, ['--input-type=module', '-e', TEN_PORTS], { stdio: ['pipe', 'pipe', 'inherit'] }));
  const ports = await Promise.all(processes.map(async ({ stdout }): Promise<number[]> => JSON.parse(String((await once(stdout, 'data'))[0]))));
  for (const { stdin } of processes) stdin.end();

  expect(new Set(ports.flat()).size).toBe(40);
});
