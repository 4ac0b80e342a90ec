// Counts failed attempts only, and yet parallel ones cannot slip through: an attempt takes its point before it begins and
// gets it back when it succeeds. While attempts of a client are under way, further ones wait for their outcome.
import type { RateLimiterAbstract } from 'rate-limiter-flexible';
import { consume, type Standing } from './count.ts';

export type Attempt = Standing & {
  /** Must be called once, when the outcome is known. */
  settle(failed: boolean): Promise<void>;
};

/** Starts an attempt. A position above the limit means that it must not begin. */
export type Begin = (key: string) => Promise<Attempt>;

type Client = { underWay: number; places: number; queue: (() => void)[]; wakeOnSettle: (() => void)[]; refusedUntil: number; windowEnds: number };

/** A refusal holds this long without asking the store again. */
const REFUSAL_MS = 1_000;

export function createFailures(counter: RateLimiterAbstract): Begin {
  const clients = new Map<string, Client>();
  const limit = counter.points;

  /** At most `limit` attempts of a client are looked at together; the others queue without touching the store. */
  async function enter(key: string): Promise<Client> {
    const client = clients.get(key) ?? { underWay: 0, places: 0, queue: [], wakeOnSettle: [], refusedUntil: 0, windowEnds: 0 };
    clients.set(key, client);
    if (client.places >= limit) await new Promise<void>((resolve) => client.queue.push(resolve));
    else client.places++;
    return client;
  }
  function leave(key: string, client: Client): void {
    const next = client.queue.shift();
    if (next) {
      next();
      return;
    }
    client.places--;
    if (client.places === 0 && client.refusedUntil <= Date.now()) clients.delete(key);
  }

  return async (key) => {
    const client = await enter(key);
    try {
      for (;;) {
        const now = Date.now();
        if (client.refusedUntil > now) return refuse(key, client, client.windowEnds - now);
        const { consumedPoints, msBeforeNext } = await consume(counter, key, 1);
        if (consumedPoints <= limit) {
          client.underWay++;
          return { position: consumedPoints, resetMs: msBeforeNext, settle: (failed) => settle(key, client, failed) };
        }
        await counter.reward(key, 1);
        if (client.underWay === 0) {
          client.refusedUntil = now + REFUSAL_MS;
          client.windowEnds = now + msBeforeNext;
          setTimeout(() => client.places === 0 && clients.delete(key), REFUSAL_MS + 1).unref();
          return refuse(key, client, msBeforeNext);
        }
        await new Promise<void>((resolve) => client.wakeOnSettle.push(resolve));
      }
    } catch (error) {
      leave(key, client);
      throw error;
    }
  };

  function refuse(key: string, client: Client, resetMs: number): Attempt {
    leave(key, client);
    return { position: limit + 1, resetMs, settle: async () => {} };
  }

  async function settle(key: string, client: Client, failed: boolean): Promise<void> {
    try {
      if (!failed) await counter.reward(key, 1);
    } finally {
      client.underWay--;
      for (const wake of client.wakeOnSettle.splice(0)) wake();
      leave(key, client);
    }
  }
}
