// Password hashes cost 19 MiB and tens of milliseconds each by design, so only a few are made at once: a flood of sign-ins
// waits in a short queue and is then refused, instead of taking the process down.
import { randomBytes } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { fail } from '@clinic/lib/errors/errors.ts';
import * as argon2id from '@node-rs/argon2';

export type Passwords = {
  hash(password: string): Promise<string>;
  /** Without a hash the same work is done and the answer is no: an unknown account looks and lasts like a wrong password. */
  verify(hash: string | undefined, password: string): Promise<boolean>;
};

export type Argon2 = Pick<typeof argon2id, 'hash' | 'verify'>;

// OWASP's minimum for argon2id: 19 MiB, two passes, one lane.
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

const AT_ONCE = Math.min(4, Math.max(2, availableParallelism()));
const WAITING = 64;

/** Passwords are compared by their NFKC form, so that the same word typed on another keyboard is the same password. */
export async function createPasswords(argon2: Argon2 = argon2id, limits = { atOnce: AT_ONCE, waiting: WAITING }): Promise<Passwords> {
  const unknownAccount = await argon2.hash(randomBytes(32).toString('base64'), COST);
  const queued = queue(limits.atOnce, limits.waiting);
  return {
    hash: (password) => queued(() => argon2.hash(password.normalize('NFKC'), COST)),
    verify: async (hash, password) => {
      const matches = await queued(() => argon2.verify(hash ?? unknownAccount, password.normalize('NFKC')));
      return matches && hash !== undefined;
    },
  };
}

/** Runs `atOnce` works, lets `waiting` more wait in order, and refuses the rest with UNAVAILABLE. */
function queue(atOnce: number, waiting: number) {
  const line: (() => void)[] = [];
  let running = 0;
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (running < atOnce) running += 1;
    else if (line.length >= waiting) fail('UNAVAILABLE', 'Too many people are signing in: try again in a moment');
    else await new Promise<void>((resolve) => line.push(resolve));
    try {
      return await work();
    } finally {
      const next = line.shift();
      if (next) next();
      else running -= 1;
    }
  };
}
