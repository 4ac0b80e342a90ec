// Limits wrong passwords for an account. Those from unknown clients are counted by e-mail address and lock only unknown clients. Those from a
// known device are counted for that device. Those from a known address are limited by the gateway.
import { inTenant, type TenantTx } from '@clinic/lib/db/db.ts';
import { fail } from '@clinic/lib/errors/errors.ts';
import type { AccountToSignIn } from '../access/accounts.sql.ts';
import type { App } from '../app.ts';
import { type Guesses, NO_GUESSES } from '../credentials/guess-rules.ts';
import { addGuess, guessThrottle, requireUnlocked, type Throttle } from '../credentials/guess-throttle.ts';
import { lockClient, setClientGuesses } from './known-clients.sql.ts';

type Who = { email: string; device: string; rateLimited: boolean };

/** `rateLimited`: the address has used up the limit of the gateway, so that only a known device may sign in. */
export function throttleOf(app: App, account: AccountToSignIn | undefined, { email, device, rateLimited }: Who): Throttle {
  if (account?.known_device) return deviceThrottle(app, account, device);
  if (rateLimited) fail('RATE_LIMITED');
  return account?.known_address ? NO_THROTTLE : guessThrottle(app, email, account && { clinicId: account.clinic_id, userId: account.user_id });
}

const NO_THROTTLE: Throttle = { admit: async () => {}, failed: async () => {}, succeeded: async () => {} };

function deviceThrottle(app: App, { clinic_id, user_id }: AccountToSignIn, device: string): Throttle {
  const locked = <T>(work: (tx: TenantTx, guesses: Guesses) => T | Promise<T>) =>
    inTenant(app.db, clinic_id, async (tx) => work(tx, (await lockClient(tx, user_id, device)) ?? NO_GUESSES));
  return {
    admit: () => locked((_tx, guesses) => requireUnlocked(guesses, app.clock.now())),
    failed: () => locked((tx, guesses) => setClientGuesses(tx, user_id, device, addGuess(guesses, app.clock.now()))),
    succeeded: async () => {}, // creating the session resets the guesses of its device
  };
}
