// Which processes belong to the product, by their command lines.
import { type ChildProcess, spawn } from 'node:child_process';
import { waitFor } from '@clinic/lib/testing/wait-for.ts';
import { afterAll, expect, test } from '@jest/globals';
import { familyOf, servicesBelow } from './processes.ts';

const children: ChildProcess[] = [];
const start = (program: string) => {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1_000)', program]);
  children.push(child);
  return child.pid as number;
};
afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
});

test('services and the gateway are found by name among the descendants; simulators and other programs are not', async () => {
  const identity = start('/srv/services/identity/main.ts');
  const gateway = start('/srv/gateway/main.ts');
  const others = [start('/srv/scripts/dev/chat-simulator/main.ts'), start('/srv/scripts/simulator/main.ts'), start('/srv/services/identity/main.ts.log')];
  await waitFor(() => servicesBelow(process.pid).length === 2);
  expect(servicesBelow(process.pid)).toEqual(
    expect.arrayContaining([
      { name: 'identity', pid: identity },
      { name: 'gateway', pid: gateway },
    ]),
  );
  expect(familyOf(process.pid)).toEqual(expect.arrayContaining(others));
});

test('no process is named by the ids 0 and 1', () => {
  expect([familyOf(0), familyOf(1)]).toEqual([[], []]);
});
