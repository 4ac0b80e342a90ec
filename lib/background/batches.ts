// Collects items, so that those which come together, or while work is under way, share the next piece of work.
import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * The returned function resolves to the result for its item, and rejects when the work on its batch failed. `work` returns the results in
 * the order of the items, if there are any. At most `concurrent` batches of at most `size` items are worked on at once. A batch begins when
 * `gather` has resolved.
 */
export function createBatches<T, R = void>(
  { size, concurrent = 1, gather }: { size: number; concurrent?: number; gather?: () => Promise<unknown> },
  work: (items: T[]) => Promise<R[]> | Promise<void>,
): (item: T) => Promise<R> {
  const waiting: (PromiseWithResolvers<R> & { item: T })[] = [];
  let running = 0;

  async function run(): Promise<void> {
    running++;
    await gather?.();
    await nextTurn(); // for items that come with this one
    const batch = waiting.splice(0, size);
    try {
      const results = await work(batch.map(({ item }) => item));
      for (const [index, { resolve }] of batch.entries()) resolve(results?.[index] as R);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    } finally {
      running--;
    }
    start();
  }

  function start(): void {
    if (running < concurrent && waiting.length > 0) void run();
  }

  return (item) => {
    const result = Promise.withResolvers<R>();
    waiting.push({ item, ...result });
    start();
    return result.promise;
  };
}
