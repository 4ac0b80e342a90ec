// Counts failed attempts only, and yet parallel ones cannot slip through: an attempt takes its point before it begins and
// gets it back when it succeeds. Who finds no point left waits while attempts of the same client are under way, since
// they may give theirs back. One at a time asks the store, so nobody mistakes another's question for a failure.
import type { RateLimiterAbstract } from 'rate-limiter-flexible';
import { consume, type Standing } from './count.ts';

export type Attempt = Standing & {
  /** Must be called once, when the outcome is known. */
  settle(failed: boolean): Promise<void>;
};

/** Starts an attempt. A position above the limit means that it must not begin. */
export type Begin = (key: string) => Promise<Attempt>;

type Client = { asking: Promise<unknown>; users: number; underWay: number; settled: number; onSettled: () => void; refusedUntil: number; windowEnds: number };

/** A refusal holds this long without asking the store again. */
const REFUSAL_MS = 1_000;

export function createFailures(counter: RateLimiterAbstract): Begin {
  const clients = new Map<string, Client>();
  const limit = counter.points;

  function enter(key: string): Client {
    const client = clients.get(key) ?? newClient();
    clients.set(key, client);
    client.users++;
    return client;
  }
  function leave(key: string, client: Client): void {
    client.users--;
    if (client.users > 0) return;
    if (client.refusedUntil <= Date.now()) clients.delete(key);
    else setTimeout(() => client.users === 0 && clients.delete(key), REFUSAL_MS).unref();
  }

  async function ask(key: string, client: Client): Promise<Attempt> {
    for (;;) {
      const now = Date.now();
      if (client.refusedUntil > now) return refused(client.windowEnds - now);
      const { settled } = client;
      const { consumedPoints, msBeforeNext } = await consume(counter, key, 1);
      if (consumedPoints <= limit) {
        client.underWay++;
        return { position: consumedPoints, resetMs: msBeforeNext, settle: (failed) => settle(key, client, failed) };
      }
      await counter.reward(key, 1);
      if (client.settled !== settled) continue; // a point may have come back meanwhile
      if (client.underWay === 0) {
        client.refusedUntil = now + REFUSAL_MS;
        client.windowEnds = now + msBeforeNext;
        return refused(msBeforeNext);
      }
      await new Promise<void>((resolve) => {
        client.onSettled = resolve;
      });
    }
  }

  async function settle(key: string, client: Client, failed: boolean): Promise<void> {
    try {
      if (!failed) await counter.reward(key, 1);
    } finally {
      client.underWay--;
      client.settled++;
      client.onSettled();
      leave(key, client);
    }
  }

  const refused = (resetMs: number): Attempt => ({ position: limit + 1, resetMs, settle: async () => {} });

  return async (key) => {
    const client = enter(key);
    const answer = client.asking.then(() => ask(key, client));
    client.asking = answer.catch(() => {}); // the next one asks whatever became of this one
    const attempt = await answer.catch((error) => {
      leave(key, client);
      throw error;
    });
    if (attempt.position > limit) leave(key, client);
    return attempt;
  };
}

function newClient(): Client {
  return { asking: Promise.resolve(), users: 0, underWay: 0, settled: 0, onSettled: () => {}, refusedUntil: 0, windowEnds: 0 };
}
