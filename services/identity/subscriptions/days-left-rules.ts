// How long a subscription still lasts.

const DAY_MS = 24 * 3_600_000;

/** A begun day counts whole; 0 when it has expired; undefined when it never does. */
export function daysLeft(expiresAt: Date | null, now: Date): number | undefined {
  return expiresAt ? Math.max(0, Math.ceil((expiresAt.getTime() - now.getTime()) / DAY_MS)) : undefined;
}
