import { afterEach, expect, jest, test } from '@jest/globals';
import pino from 'pino';
import { type Stoppable, stopAll } from '../background/stop.ts';
import { clockSteps } from '../telemetry/metrics.ts';
import { waitFor } from '../testing/wait-for.ts';
import { watchClock } from './clock-watch.ts';

const HOUR_MS = 3_600_000;
const realNow = Date.now;
const running: Stoppable[] = [];

afterEach(async () => {
  jest.restoreAllMocks();
  await stopAll(running);
});

test('each watch calls onStep after a step of the clock until it succeeds, and the step is reported once', async () => {
  const log = pino({ level: 'silent' });
  const warn = jest.spyOn(log, 'warn');
  clockSteps.reset();
  let failures = 1;
  const first = jest.fn(async () => {
    if (failures-- > 0) throw new Error('the database is unavailable');
  });
  const second = jest.fn(async () => {});
  for (const onStep of [first, second]) running.push(watchClock({ log, onStep }));
  await new Promise((resolve) => setTimeout(resolve, 100)); // both have read the clock

  jest.spyOn(Date, 'now').mockImplementation(() => realNow() - 3 * HOUR_MS);
  await waitFor(() => first.mock.calls.length === 2 && second.mock.calls.length === 1);
  expect(warn.mock.calls.filter(([, message]) => message === 'a clock was set, or the machine was suspended')).toEqual([
    [{ clock: 'process', seconds: -10_800 }, expect.any(String)],
  ]);
  // Again later: a transaction may have begun before the step.
  const monotonic = performance.now.bind(performance);
  jest.spyOn(performance, 'now').mockImplementation(() => monotonic() + 11_000);
  jest.spyOn(Date, 'now').mockImplementation(() => realNow() - 3 * HOUR_MS + 11_000);
  await waitFor(() => first.mock.calls.length === 3 && second.mock.calls.length === 2);
  expect((await clockSteps.get()).values).toMatchObject([{ labels: { clock: 'process' }, value: 1 }, { value: 0 }]);
});
