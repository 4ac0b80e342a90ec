// Limits wrong passwords by name: an e-mail address, or a session whose user confirms the password.
import { blindIndex, currentKey } from '@clinic/lib/crypto/crypto.ts';
import { asSystem, type SystemTx } from '@clinic/lib/db/db.ts';
import { failFor } from '@clinic/lib/errors/errors.ts';
import type { App } from '../app.ts';
import { notify } from '../notices/notices.ts';
import { countGuess, type Guesses } from './guess-rules.ts';
import { forgetThrottle, lockThrottle, setThrottle } from './sign-in-throttles.sql.ts';

/** Wrong passwords between two locks. */
const PASSWORDS_PER_LOCK = 10;

export type Throttle = {
  /** Throws RATE_LIMITED while there is a lock. */
  admit(): Promise<void>;
  /** Counts a wrong password. */
  failed(): Promise<unknown>;
  succeeded(): Promise<unknown>;
};

/** `user` is the one whose password is guessed, if there is one. The first lock is mailed to this user. */
export function guessThrottle(app: App, name: string, user: { clinicId: string; userId: string } | undefined): Throttle {
  const index = blindIndex(currentKey(app.keys), 'sign_in_throttles', name);
  // As the system: an e-mail address belongs to no clinic, and may have no account.
  const locked = <T>(work: (tx: SystemTx, guesses: Guesses) => T | Promise<T>) =>
    asSystem(app.db, async (tx) => work(tx, await lockThrottle(tx, index, app.clock.now())));
  return {
    admit: () => locked((_tx, guesses) => requireUnlocked(guesses, app.clock.now())),
    failed: () =>
      locked(async (tx, before) => {
        const after = addGuess(before, app.clock.now());
        await setThrottle(tx, index, after);
        if (user && before.locks === 0 && after.locks === 1) await notify(tx, 'account_locked', user, app.clock.now());
      }),
    succeeded: () => asSystem(app.db, (tx) => forgetThrottle(tx, index)),
  };
}

export function requireUnlocked(guesses: Guesses, now: Date): void {
  const next = countGuess(guesses, PASSWORDS_PER_LOCK, now);
  if ('waitSeconds' in next) failFor('RATE_LIMITED', next.waitSeconds);
}

/** A guess that was admitted before a lock does not extend it. */
export function addGuess(guesses: Guesses, now: Date): Guesses {
  const next = countGuess(guesses, PASSWORDS_PER_LOCK, now);
  return 'waitSeconds' in next ? guesses : next;
}
