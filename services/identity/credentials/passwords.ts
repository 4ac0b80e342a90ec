// Password hashes. Each takes 19 MiB and tens of milliseconds by design, so only a few are computed at the same time.
import { randomBytes } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { networkOf } from '@clinic/lib/formats/network.ts';
import type { Caller } from '@clinic/lib/rpc/caller.ts';
import * as argon2id from '@node-rs/argon2';
import { createHashQueue, type Requester } from './hash-queue.ts';

export type Passwords = {
  hash(password: string, from: Requester): Promise<string>;
  /**
   * Without a hash, verify() does the same work and returns false, so that a client cannot distinguish an unknown account from a wrong password.
   * `admit` is called after the wait in the queue, and may throw.
   */
  verify(hash: string | undefined, password: string, from: Requester, admit?: () => Promise<void>): Promise<boolean>;
};

type Argon2 = Pick<typeof argon2id, 'hash' | 'verify'>;

// OWASP's minimum for argon2id: 19 MiB, two passes, one lane.
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

const MAX_RUNNING = Math.min(4, Math.max(2, availableParallelism()));
/** At two at a time these take five seconds; the deadline of a call is ten. */
const MAX_WAITING = 256;

/** Passwords are hashed in NFKC form, so that the same text typed on another keyboard matches. */
export async function createPasswords(argon2: Argon2 = argon2id, limits = { running: MAX_RUNNING, waiting: MAX_WAITING }): Promise<Passwords> {
  const unknownAccount = await argon2.hash(randomBytes(32).toString('base64'), COST);
  const queued = createHashQueue(limits.running, limits.waiting);
  return {
    hash: (password, from) => queued(from, () => argon2.hash(password.normalize('NFKC'), COST)),
    verify: async (hash, password, from, admit) => {
      const matches = await queued(from, async () => {
        await admit?.();
        return argon2.verify(hash ?? unknownAccount, password.normalize('NFKC'));
      });
      return matches && hash !== undefined;
    },
  };
}

/** `account` names an anonymous caller, who has no id. */
export function requesterOf({ kind, ip, id }: Caller, account = id): Requester {
  return { known: kind === 'user', network: networkOf(ip), account };
}
