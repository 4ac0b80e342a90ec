import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { createFailures } from './failures.ts';

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

test('an attempt waits for others that are running, but not for ever', async () => {
  const begin = createFailures(new RateLimiterMemory({ points: 1, duration: 900 }));
  const running = await begin('a');
  const waiting = [begin('a'), begin('a')];
  await jest.advanceTimersByTimeAsync(10_000);
  expect((await Promise.all(waiting)).map(({ position }) => position)).toEqual([2, 2]);
  const next = begin('a');
  await jest.advanceTimersByTimeAsync(5_000);
  await running.settle(false);
  expect((await next).position).toBe(1);
});
