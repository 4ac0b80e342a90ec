// Limits guesses of a secret: each time that a number of them were wrong they are locked, longer every time up to an hour.

const MINUTE_MS = 60_000;
const LOCKS_MS = [1, 5, 15, 60].map((minutes) => minutes * MINUTE_MS);

/** `attempts` since the last lock, `locks` since the last correct guess. */
export type Guesses = { attempts: number; locks: number; lockedUntil: Date | null };

export const NO_GUESSES: Guesses = { attempts: 0, locks: 0, lockedUntil: null };

/**
 * The state after one more guess, or the seconds to wait while there is a lock. The last allowed guess sets the lock before it is verified,
 * so that concurrent guesses are limited too. After a correct guess the caller stores NO_GUESSES.
 */
export function countGuess({ attempts, locks, lockedUntil }: Guesses, allowed: number, now: Date): Guesses | { waitSeconds: number } {
  const leftMs = lockedUntil ? lockedUntil.getTime() - now.getTime() : 0;
  // If more time is left than a lock lasts, the clock was set back, and the lock is ignored. A minute is tolerated, because clocks of processes differ.
  if (leftMs > 0 && leftMs <= lockMs(locks - 1) + MINUTE_MS) return { waitSeconds: Math.ceil(leftMs / 1000) };
  const guessed = attempts + 1;
  if (guessed < allowed) return { attempts: guessed, locks, lockedUntil: null };
  return { attempts: 0, locks: locks + 1, lockedUntil: new Date(now.getTime() + lockMs(locks)) };
}

/** How long a lock lasts after `before` others. */
const lockMs = (before: number) => LOCKS_MS[Math.min(before, LOCKS_MS.length - 1)] ?? 0;
