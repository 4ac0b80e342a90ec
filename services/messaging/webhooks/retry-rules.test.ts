import { expect, test } from '@jest/globals';
import { afterFailure, RETRY_MS } from './retry-rules.ts';

const start = new Date('2026-08-03T12:00:00Z');
const after = (ms: number) => new Date(start.getTime() + ms);
const healthy = { failures: 0, failing_since: null };

test('a delivery is retried with growing gaps for three days', () => {
  let [now, attempts] = [start, 0];
  const gaps: number[] = [];
  for (;;) {
    const { nextAttemptAt } = afterFailure(healthy, { attempts, retry_until: after(RETRY_MS) }, 500, now);
    if (!nextAttemptAt) break;
    gaps.push((nextAttemptAt.getTime() - now.getTime()) / 1000);
    now = nextAttemptAt;
    attempts++;
  }
  expect(gaps.slice(0, 8)).toEqual([5, 30, 120, 600, 1800, 3600, 10800, 21600]);
  expect(gaps).toEqual(gaps.toSorted((a, b) => a - b));
  expect(now.getTime() - start.getTime()).toBeGreaterThan(RETRY_MS - 21_600_000);
});

test('an endpoint is paused after three failures in a row, for an hour at most', () => {
  const delivery = { attempts: 0, retry_until: after(RETRY_MS) };
  const pausedAfter = (failures: number) => afterFailure({ failures: failures - 1, failing_since: start }, delivery, null, start).pausedUntil;
  expect([1, 2, 3, 4, 6, 50].map(pausedAfter)).toEqual([null, null, after(120_000), after(600_000), after(3_600_000), after(3_600_000)]);
});

test('an endpoint without a success in three days is disabled, and one that responds with 410 immediately', () => {
  const delivery = { attempts: 0, retry_until: after(2 * RETRY_MS) };
  const disabled = (ms: number, status: number | null) => afterFailure({ failures: 9, failing_since: start }, delivery, status, after(ms)).disabled;
  expect([disabled(RETRY_MS - 1, 500), disabled(RETRY_MS, 500), disabled(0, 410)]).toEqual([null, 'failing', 'gone']);
  expect(afterFailure(healthy, delivery, null, start)).toMatchObject({ failures: 1, failingSince: start, disabled: null });
});
