// Limits wrong passwords for an account. Those from unknown clients are counted for the e-mail address, so that their locks never refuse a
// client that is known: wrong passwords from a known address are limited by the gateway, those from a known device count for the device.
import { blindIndex } from '@clinic/lib/crypto/crypto.ts';
import { asSystem, inTenant, type SystemTx, type TenantTx } from '@clinic/lib/db/db.ts';
import { fail, failFor } from '@clinic/lib/errors/errors.ts';
import type { AccountToSignIn } from '../access/accounts.sql.ts';
import type { App } from '../app.ts';
import { countGuess, type Guesses, NO_GUESSES } from '../credentials/guess-rules.ts';
import { notify } from '../notices/notices.ts';
import { lockClient, setClientGuesses } from './known-clients.sql.ts';
import { forgetThrottle, lockThrottle, setThrottle } from './sign-in-throttles.sql.ts';

/** Wrong passwords between two locks. */
const PASSWORDS_PER_LOCK = 10;

export type Throttle = {
  /** Throws RATE_LIMITED while there is a lock. */
  admit(): Promise<void>;
  /** Counts a wrong password. */
  failed(): Promise<void>;
  succeeded(): Promise<void>;
};

type Who = { email: string; device: string; rateLimited: boolean };

/** `rateLimited`: the address has used up the limit of the gateway, so that only a known device may go on. */
export function throttleOf(app: App, account: AccountToSignIn | undefined, { email, device, rateLimited }: Who): Throttle {
  if (account?.known_device) return deviceThrottle(app, account, device);
  if (rateLimited) fail('RATE_LIMITED');
  return account?.known_address ? NO_THROTTLE : addressThrottle(app, account, email);
}

const NO_THROTTLE: Throttle = { admit: async () => {}, failed: async () => {}, succeeded: async () => {} };

function deviceThrottle(app: App, { clinic_id, user_id }: AccountToSignIn, device: string): Throttle {
  const locked = <T>(work: (tx: TenantTx, guesses: Guesses) => T | Promise<T>) =>
    inTenant(app.db, clinic_id, async (tx) => work(tx, (await lockClient(tx, user_id, device)) ?? NO_GUESSES));
  return {
    admit: () => locked((_tx, guesses) => requireUnlocked(guesses, app.clock.now())),
    async failed() {
      await locked((tx, guesses) => setClientGuesses(tx, user_id, device, count(guesses, app.clock.now())));
    },
    succeeded: async () => {}, // the new session forgets the wrong passwords of its device
  };
}

function addressThrottle(app: App, account: AccountToSignIn | undefined, email: string): Throttle {
  const [key] = app.keys;
  if (!key) throw new Error('the key ring is empty');
  const index = blindIndex(key, 'sign_in_throttles', email);
  // As the system: an e-mail address belongs to no clinic, and may have no account.
  const locked = <T>(work: (tx: SystemTx, guesses: Guesses) => T | Promise<T>) =>
    asSystem(app.db, async (tx) => work(tx, await lockThrottle(tx, index, app.clock.now())));
  return {
    admit: () => locked((_tx, guesses) => requireUnlocked(guesses, app.clock.now())),
    failed: () =>
      locked(async (tx, before) => {
        const after = count(before, app.clock.now());
        await setThrottle(tx, index, after);
        if (account && before.locks === 0 && after.locks === 1)
          await notify(tx, 'account_locked', { clinicId: account.clinic_id, userId: account.user_id }, app.clock.now());
      }),
    succeeded: () => asSystem(app.db, (tx) => forgetThrottle(tx, index)),
  };
}

function requireUnlocked(guesses: Guesses, now: Date): void {
  const next = countGuess(guesses, PASSWORDS_PER_LOCK, now);
  if ('waitSeconds' in next) failFor('RATE_LIMITED', next.waitSeconds);
}

/** A guess that was admitted before the lock changes nothing. */
function count(guesses: Guesses, now: Date): Guesses {
  const next = countGuess(guesses, PASSWORDS_PER_LOCK, now);
  return 'waitSeconds' in next ? guesses : next;
}
