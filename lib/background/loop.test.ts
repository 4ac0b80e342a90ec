import { expect, test } from '@jest/globals';
import { waitFor } from '../testing/wait-for.ts';
import { startLoop } from './loop.ts';
import { createSignal } from './signal.ts';

test('a loop that waits for signals runs again soon after a failure, without a signal', async () => {
  const warnings: string[] = [];
  let passes = 0;
  const log = { warn: (_fields: object, message: string) => warnings.push(message) };
  const loop = startLoop({ log, failure: 'it failed', everyMs: 60_000, signal: createSignal() }, async () => {
    if (passes++ === 0) throw new Error('no reason that an outage explains');
  });
  try {
    await waitFor(() => expect(passes).toBe(2), 20_000);
  } finally {
    await loop.stop();
  }
  expect(warnings).toEqual(['it failed', 'recovered: it failed']);
});
