// The format of a PIN, and how many wrong guesses lock it.

const MAX_GUESSES = 5;
const LOCK_MS = 15 * 60_000;

/** 4 to 8 digits. */
export const isPin = (text: string) => /^\d{4,8}$/.test(text);

export type Attempts = { attempts: number; lockedUntil: Date | null };

/** The state after one more guess; undefined while the PIN is locked. The fifth guess locks the PIN before it is verified. */
export function countGuess({ attempts, lockedUntil }: Attempts, now: Date): Attempts | undefined {
  if (lockedUntil && lockedUntil > now) return undefined;
  const guessed = (lockedUntil ? 0 : attempts) + 1;
  return { attempts: guessed, lockedUntil: guessed >= MAX_GUESSES ? new Date(now.getTime() + LOCK_MS) : null };
}
