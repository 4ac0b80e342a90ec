// How often a PIN may be guessed: a short secret is only as good as the number of guesses that it allows.

const GUESSES = 5;
const LOCK_MS = 15 * 60_000;

/** 4 to 8 digits. */
export const isPin = (text: string) => /^\d{4,8}$/.test(text);

export type Attempts = { attempts: number; lockedUntil: Date | null };

/** What one more guess leaves behind; undefined while the PIN is locked. The fifth locks before it is known to be wrong. */
export function countGuess({ attempts, lockedUntil }: Attempts, now: Date): Attempts | undefined {
  if (lockedUntil && lockedUntil > now) return undefined;
  const guessed = (lockedUntil ? 0 : attempts) + 1;
  return { attempts: guessed, lockedUntil: guessed >= GUESSES ? new Date(now.getTime() + LOCK_MS) : null };
}
