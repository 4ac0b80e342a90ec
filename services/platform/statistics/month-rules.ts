// The platform's accounting uses UTC−6.

const OFFSET_MS = 6 * 3_600_000;

/** Beginning and end of the month of an instant. */
export function monthOf(now: Date): { from: Date; to: Date } {
  const local = new Date(now.getTime() - OFFSET_MS);
  const first = (months: number) => new Date(Date.UTC(local.getUTCFullYear(), local.getUTCMonth() + months) + OFFSET_MS);
  return { from: first(0), to: first(1) };
}
