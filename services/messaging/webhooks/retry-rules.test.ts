import { expect, test } from '@jest/globals';
import { afterFailure, RETRY_MS } from './retry-rules.ts';

const start = new Date('2026-08-03T12:00:00Z');
const after = (ms: number) => new Date(start.getTime() + ms);
const healthy = { failures: 0, failing_since: null };

test('a delivery is retried with growing gaps for three days; then its endpoint is disabled', () => {
  let [now, attempts] = [start, 0];
  const gaps: number[] = [];
  for (;;) {
    const { nextAttemptAt, disabled } = afterFailure({ failures: attempts, failing_since: start }, { attempts, retry_until: after(RETRY_MS) }, 500, now);
    expect(disabled).toBe(nextAttemptAt ? null : 'failing');
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

test('an endpoint is disabled after the last attempt of a delivery if it has had no success in three days, and immediately after a 410', () => {
  const disabled = (since: number, attempts: number, status: number) =>
    afterFailure({ failures: 9, failing_since: after(since) }, { attempts, retry_until: after(RETRY_MS) }, status, after(attempts && RETRY_MS - 1)).disabled;
  expect([disabled(0, 19, 500), disabled(RETRY_MS / 2, 19, 500), disabled(0, 0, 410)]).toEqual(['failing', null, 'gone']);
  expect(disabled(-10 * RETRY_MS, 0, 500)).toBe(null); // the last event was long ago
  expect(afterFailure(healthy, { attempts: 0, retry_until: after(RETRY_MS) }, null, start)).toMatchObject({ failures: 1, failingSince: start, disabled: null });
});
