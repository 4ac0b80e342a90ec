// Counts requests. Requests of a client that arrive while its row is being written are counted together by the next write, so that a busy
// client never has more than one statement running.
import { type RateLimiterAbstract, RateLimiterRes } from 'rate-limiter-flexible';

/** The position of a request in its window, from 1, and the milliseconds until the window ends. */
export type Standing = { position: number; resetMs: number };

export type Count = (key: string) => Promise<Standing>;

type Waiting = { resolve: (standing: Standing) => void; reject: (error: unknown) => void };

/** The caller must refuse a request whose position exceeds its limit. */
export function createCount(counter: RateLimiterAbstract): Count {
  const waiting = new Map<string, Waiting[]>();

  async function flush(key: string): Promise<void> {
    for (let batch = waiting.get(key); batch && batch.length > 0; batch = waiting.get(key)) {
      waiting.set(key, []);
      const size = batch.length;
      try {
        const { consumedPoints, msBeforeNext } = await consume(counter, key, size);
        let position = consumedPoints - size;
        for (const { resolve } of batch) resolve({ position: ++position, resetMs: msBeforeNext });
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    waiting.delete(key);
  }

  return (key) =>
    new Promise((resolve, reject) => {
      const queue = waiting.get(key);
      if (queue) return void queue.push({ resolve, reject });
      waiting.set(key, [{ resolve, reject }]);
      void flush(key);
    });
}

/** The state of the counter after taking `points`, even if it refuses them. A refusal from memory has no count and is reported as over the limit. */
export async function consume(counter: RateLimiterAbstract, key: string, points: number): Promise<{ consumedPoints: number; msBeforeNext: number }> {
  try {
    return await counter.consume(key, points);
  } catch (refused) {
    if (!(refused instanceof RateLimiterRes)) throw refused;
    return { consumedPoints: refused.consumedPoints || counter.points + points, msBeforeNext: refused.msBeforeNext };
  }
}
