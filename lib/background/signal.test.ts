import { expect, test } from '@jest/globals';
import { createSignal } from './signal.ts';

const HOUR_MS = 3_600_000;

test('notifications without a waiting loop end the next wait, once', async () => {
  const signal = createSignal();
  signal.notify();
  signal.notify();
  await signal.wait(HOUR_MS);
  let ended = false;
  const next = signal.wait(HOUR_MS).then(() => {
    ended = true;
  });
  await new Promise(setImmediate);
  expect(ended).toBe(false);
  signal.notify();
  await next;
});
