// Decides when a delivery is retried, and when an endpoint is paused or disabled.
const [SECOND, MINUTE, HOUR] = [1_000, 60_000, 3_600_000];

/** How long a delivery is retried, and how long an endpoint may fail until it is disabled. */
export const RETRY_MS = 72 * HOUR;
/** The gap after each attempt. The last one repeats. */
const GAPS_MS = [5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE, 30 * MINUTE, HOUR, 3 * HOUR, 6 * HOUR];
/** After this many failures in a row the endpoint itself is paused, for the gap of that number, an hour at most. */
const PAUSED_AFTER = 3;

type Endpoint = { failures: number; failing_since: Date | null };
type Delivery = { attempts: number; retry_until: Date };

const gapAfter = (attempts: number) => GAPS_MS[Math.min(attempts, GAPS_MS.length) - 1] as number;

/** The consequences of a failed attempt. `nextAttemptAt` is null if the delivery has finally failed. */
export function afterFailure({ failures, failing_since }: Endpoint, { attempts, retry_until }: Delivery, status: number | null, now: Date) {
  const next = new Date(now.getTime() + gapAfter(attempts + 1));
  const failingSince = failing_since ?? now;
  const nextAttemptAt = next <= retry_until ? next : null;
  // Only after the last attempt of a delivery, because between rare events an endpoint has neither failures nor successes.
  const hasFailed = !nextAttemptAt && next.getTime() - failingSince.getTime() >= RETRY_MS;
  return {
    nextAttemptAt,
    failures: failures + 1,
    failingSince,
    pausedUntil: failures + 1 >= PAUSED_AFTER ? new Date(now.getTime() + Math.min(gapAfter(failures + 1), HOUR)) : null,
    disabled: disabledReason(status, hasFailed),
  };
}

/** 410 means that the receiver wants no more webhooks (Standard Webhooks). */
function disabledReason(status: number | null, hasFailed: boolean): 'gone' | 'failing' | null {
  if (status === 410) return 'gone';
  return hasFailed ? 'failing' : null;
}
