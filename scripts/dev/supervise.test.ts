// A child process that cannot be started is started again, like one that ends.
import { spawn } from 'node:child_process';
import { waitFor } from '@clinic/lib/testing/wait-for.ts';
import { expect, test } from '@jest/globals';
import { supervise } from './supervise.ts';

test('a child that cannot be started is started again', async () => {
  const printed: string[] = [];
  const programs = ['/no/such/program', process.execPath];
  const supervised = supervise({
    name: 'child',
    spawn: () => spawn(programs.shift() ?? '', ['-e', 'setInterval(() => {}, 1_000_000)'], { stdio: 'ignore' }),
    print: (line) => printed.push(line),
  });
  try {
    await waitFor(() => supervised.pid() !== undefined);
    expect(printed).toEqual(['child ended (spawn /no/such/program ENOENT); restarting it in 500 ms']);
  } finally {
    await supervised.stop();
  }
});
