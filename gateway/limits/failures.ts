// Counts only failed attempts, without letting concurrent ones exceed the limit: an attempt takes a point before it begins and returns it when
// it succeeds. An attempt that finds no point left waits while others of the same client are running, because they may return theirs. The
// attempts of a client query the store one at a time, so that a point that is returned at once is not mistaken for a failure.
import type { RateLimiterAbstract } from 'rate-limiter-flexible';
import { consume, type Standing } from './count.ts';

export type Attempt = Standing & {
  /** Must be called once, as soon as the outcome is known. */
  settle(failed: boolean): Promise<void>;
};

/** Begins an attempt. If its position exceeds the limit, it is refused and must not be settled. */
type Begin = (key: string) => Promise<Attempt>;

type Client = {
  /** The last query in the client's queue. */
  query: Promise<unknown>;
  /** Attempts that are queued or running. */
  users: number;
  running: number;
  settled: number;
  onSettled: () => void;
  refusedUntil: number;
  windowEnds: number;
};

/** After a refusal, further attempts of the client are refused without querying the store for this long. */
const REFUSAL_MS = 1_000;
/** How long an attempt waits for others. Their bodies may arrive slowly, even on purpose. */
const MAX_WAIT_MS = 10_000;

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
    if (client.refusedUntil <= performance.now()) clients.delete(key);
    else setTimeout(() => client.users === 0 && clients.delete(key), REFUSAL_MS).unref();
  }

  async function takePoint(key: string, client: Client, waitsUntil: number): Promise<Attempt> {
    for (;;) {
      const now = performance.now();
      if (client.refusedUntil > now) return refused(client.windowEnds - now);
      const { settled } = client;
      const { consumedPoints, msBeforeNext } = await consume(counter, key, 1);
      if (consumedPoints <= limit) {
        client.running++;
        return { position: consumedPoints, resetMs: msBeforeNext, settle: (failed) => settle(key, client, failed) };
      }
      await counter.reward(key, 1);
      if (client.settled !== settled) continue; // a point may have been returned meanwhile
      if (client.running === 0) {
        client.refusedUntil = now + REFUSAL_MS;
        client.windowEnds = performance.now() + msBeforeNext;
        return refused(msBeforeNext);
      }
      const leftMs = waitsUntil - performance.now();
      if (leftMs <= 0) return refused(msBeforeNext);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, leftMs);
        client.onSettled = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }

  async function settle(key: string, client: Client, failed: boolean): Promise<void> {
    try {
      if (!failed) await counter.reward(key, 1);
    } finally {
      client.running--;
      client.settled++;
      client.onSettled();
      leave(key, client);
    }
  }

  const refused = (resetMs: number): Attempt => ({ position: limit + 1, resetMs, settle: async () => {} });

  return async (key) => {
    const client = enter(key);
    const waitsUntil = performance.now() + MAX_WAIT_MS;
    const taken = client.query.then(() => takePoint(key, client, waitsUntil));
    client.query = taken.catch(() => {}); // the next query runs whether or not this one fails
    const attempt = await taken.catch((error) => {
      leave(key, client);
      throw error;
    });
    if (attempt.position > limit) leave(key, client);
    return attempt;
  };
}

const newClient = (): Client => ({ query: Promise.resolve(), users: 0, running: 0, settled: 0, onSettled: () => {}, refusedUntil: 0, windowEnds: 0 });
