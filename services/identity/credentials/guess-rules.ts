// Limits guesses of a secret: after so many wrong ones there is a lock, which grows from one to the next.

const MINUTE_MS = 60_000;
const LOCKS_MS = [1, 5, 15, 60].map((minutes) => minutes * MINUTE_MS);

/** `attempts` since the last lock, `locks` since the last correct guess. */
export type Guesses = { attempts: number; locks: number; lockedUntil: Date | null };

export const NO_GUESSES: Guesses = { attempts: 0, locks: 0, lockedUntil: null };

/**
 * The state after one more guess, or the seconds to wait while there is a lock. The last allowed guess locks before it is verified, so that
 * concurrent guesses are limited too; a correct one removes the lock.
 */
export function countGuess({ attempts, locks, lockedUntil }: Guesses, allowed: number, now: Date): Guesses | { waitSeconds: number } {
  const leftMs = lockedUntil ? lockedUntil.getTime() - now.getTime() : 0;
  // When much more is left than a lock lasts, the clock was set back: then the lock does not count. Clocks of processes differ a little.
  if (leftMs > 0 && leftMs <= lockMs(locks - 1) + MINUTE_MS) return { waitSeconds: Math.ceil(leftMs / 1000) };
  const guessed = attempts + 1;
  if (guessed < allowed) return { attempts: guessed, locks, lockedUntil: null };
  return { attempts: 0, locks: locks + 1, lockedUntil: new Date(now.getTime() + lockMs(locks)) };
}

/** How long the lock after so many others lasts. */
const lockMs = (before: number) => LOCKS_MS[Math.min(before, LOCKS_MS.length - 1)] ?? 0;
