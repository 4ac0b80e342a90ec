// Each password hash takes 19 MiB and tens of milliseconds by design. Only a few hashes are computed at the same time; further sign-ins
// wait in a short queue, and are rejected when it is full, so that a burst of sign-ins does not exhaust the process.
import { randomBytes } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { fail } from '@clinic/lib/errors/errors.ts';
import * as argon2id from '@node-rs/argon2';

export type Passwords = {
  hash(password: string): Promise<string>;
  /** Without a hash, verify() does the same work and returns false, so that a client cannot distinguish an unknown account from a wrong password. */
  verify(hash: string | undefined, password: string): Promise<boolean>;
};

export type Argon2 = Pick<typeof argon2id, 'hash' | 'verify'>;

// OWASP's minimum for argon2id: 19 MiB, two passes, one lane.
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

const MAX_RUNNING = Math.min(4, Math.max(2, availableParallelism()));
const MAX_WAITING = 64;

/** Passwords are hashed in NFKC form, so that the same text typed on another keyboard matches. */
export async function createPasswords(argon2: Argon2 = argon2id, limits = { running: MAX_RUNNING, waiting: MAX_WAITING }): Promise<Passwords> {
  const unknownAccount = await argon2.hash(randomBytes(32).toString('base64'), COST);
  const queued = createQueue(limits.running, limits.waiting);
  return {
    hash: (password) => queued(() => argon2.hash(password.normalize('NFKC'), COST)),
    verify: async (hash, password) => {
      const matches = await queued(() => argon2.verify(hash ?? unknownAccount, password.normalize('NFKC')));
      return matches && hash !== undefined;
    },
  };
}

/** Runs up to `maxRunning` functions at the same time, queues up to `maxWaiting` more, and rejects the others with UNAVAILABLE. */
function createQueue(maxRunning: number, maxWaiting: number) {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (running < maxRunning) running += 1;
    else if (waiting.length >= maxWaiting) fail('UNAVAILABLE', 'Too many people are signing in: try again in a moment');
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    }
  };
}
